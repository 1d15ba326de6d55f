"""The Atlas products and their capabilities, from the vendor's platform descriptions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from .errors import ArgumentTypeError, did_you_mean, fail_argument
from .status import Status

_GIB: Final = 2**30
_MIB: Final = 2**20


@dataclass(frozen=True, slots=True)
class Product:
    """A product family, with one of its chips.

    Examples
    --------
    >>> import ascendref as ar
    >>> a2 = ar.Product.find("Atlas A2")
    >>> a2.soc_name, a2.cube_cores, a2.vector_cores, a2.memory // 2**30
    ('Ascend910B1', 24, 48, 64)
    """

    #: name of the product family
    name: str
    #: other names of the family
    aliases: tuple[str, ...]
    #: full name of the chip
    soc_name: str
    #: name of the chip family; the short name Ascend910B is not the chip Ascend910B
    short_soc: str
    #: number of the core architecture
    npu_arch: int
    #: matrix cores; on Atlas training they also run vector work
    cube_cores: int
    #: vector cores
    vector_cores: int
    #: the device's CPUs, for work that the cores do not run
    ai_cpus: int
    #: device memory in bytes, the default of `Device`
    memory: int
    #: whether the platform descriptions state the memory; otherwise it is the family's usual size
    memory_published: bool
    #: whether that is HBM; otherwise it is DDR
    has_hbm: bool
    #: second-level cache in bytes
    l2: int
    #: unified buffer per core in bytes
    unified_buffer: int
    #: most streams at a time
    stream_limit: int
    #: whether the vector units take BF16
    has_bfloat16: bool
    #: whether the vector units overflow to infinity; otherwise they saturate. Operators of the
    #: emulated device overflow to infinity on all products.
    has_inf_nan: bool
    #: bytes of padding that an allocation gets beyond its rounded size
    malloc_padding: int = 32

    @property
    def default_stream_has_failure_mode(self) -> bool:
        """Whether the failure mode of the default stream can be set."""
        return self.npu_arch == 2201

    @property
    def captures_streams(self) -> bool:
        """Whether the work of streams can be captured as a graph."""
        return self.npu_arch == 2201

    @staticmethod
    def find(product: str | Product) -> Product:
        """Return the record of a product.

        Parameters
        ----------
        product : str or Product
            A family (``"Atlas A2"``, in any case, or one of its other names), a chip in full
            (``"Ascend910B3"``, exactly), or a record, which is returned as it is. The name
            ``"Ascend910B"`` is a chip of Atlas training; the chips of Atlas A2 have a digit after
            it.

        Raises
        ------
        AclError
            100000 for an unknown name; the message lists all names.
        ArgumentTypeError
            If it is not a string.

        Examples
        --------
        >>> import ascendref as ar
        >>> ar.Product.find("Ascend910B").name, ar.Product.find("Ascend910B3").name
        ('Atlas training', 'Atlas A2')
        """
        if isinstance(product, Product):
            return product
        if not isinstance(product, str):
            raise ArgumentTypeError(
                "product", f"is a {type(product).__name__}; a name or a Product is expected"
            )
        found = _BY_NAME.get(product) or _BY_NAME.get(product.casefold())
        if found is None:
            families = [row.name for row in PRODUCTS]
            chips = [row.soc_name for row in _CHIPS]
            fail_argument(
                Status.ACL_ERROR_INVALID_PARAM,
                "product",
                f"is {product!r}; {did_you_mean(product, families + chips)}families are"
                f" {', '.join(families)}; chips are {', '.join(chips)}",
            )
        return found


_TRAINING = Product(
    name="Atlas training", aliases=("Atlas 训练系列产品", "Atlas 训练"),
    soc_name="Ascend910A", short_soc="Ascend910", npu_arch=1001,
    cube_cores=32, vector_cores=0, ai_cpus=4,
    memory=32 * _GIB, memory_published=False, has_hbm=True, l2=32 * _MIB, unified_buffer=262144,
    stream_limit=2048, has_bfloat16=False, has_inf_nan=False,
)  # fmt: skip
_INFERENCE = Product(
    name="Atlas inference", aliases=("Atlas 推理系列产品", "Atlas 推理"),
    soc_name="Ascend310P3", short_soc="Ascend310P", npu_arch=2002,
    cube_cores=8, vector_cores=7, ai_cpus=7,
    memory=24_000_000_000, memory_published=True, has_hbm=False, l2=16 * _MIB,
    unified_buffer=262144,
    stream_limit=1024, has_bfloat16=False, has_inf_nan=False,
)  # fmt: skip
_A2 = Product(
    name="Atlas A2",
    aliases=(
        "Atlas A2 训练系列产品",
        "Atlas 800I A2 推理产品",
        "A200I A2 Box",
        "Atlas A2 训练系列产品/Atlas 800I A2 推理产品",
        "Atlas A2 训练系列产品/Atlas 800I A2 推理产品/A200I A2 Box 异构组件",
    ),
    soc_name="Ascend910B1", short_soc="Ascend910B", npu_arch=2201,
    cube_cores=24, vector_cores=48, ai_cpus=6,
    memory=64 * _GIB, memory_published=True, has_hbm=True, l2=192 * _MIB, unified_buffer=196608,
    stream_limit=1984, has_bfloat16=True, has_inf_nan=True,
)  # fmt: skip
_A3 = replace(
    _A2,
    name="Atlas A3",
    aliases=(
        "Atlas A3 训练系列产品",
        "Atlas A3 推理系列产品",
        "Atlas A3 训练系列产品/Atlas A3 推理系列产品",
    ),
    soc_name="Ascend910_9391",
    short_soc="Ascend910_93",
)
_200I_500_A2 = Product(
    name="Atlas 200I/500 A2", aliases=("Atlas 200I/500 A2 推理产品",),
    soc_name="Ascend310B1", short_soc="Ascend310B", npu_arch=3002,
    cube_cores=1, vector_cores=1, ai_cpus=4,
    memory=32 * _GIB, memory_published=True, has_hbm=False, l2=4 * _MIB, unified_buffer=253952,
    stream_limit=512, has_bfloat16=False, has_inf_nan=False,
)  # fmt: skip

#: every product family, with the chip that stands for it
PRODUCTS: Final = (_TRAINING, _INFERENCE, _A2, _A3, _200I_500_A2)


def _chip(family: Product, soc_name: str, **figures: int | bool) -> Product:
    return replace(family, soc_name=soc_name, **figures)  # type: ignore[arg-type]


_CHIPS: Final = (
    _TRAINING,
    _chip(_TRAINING, "Ascend910B", cube_cores=30),
    _chip(_TRAINING, "Ascend910ProA"),
    _chip(_TRAINING, "Ascend910ProB", cube_cores=30),
    _chip(_TRAINING, "Ascend910PremiumA"),
    _chip(_INFERENCE, "Ascend310P1", cube_cores=10, vector_cores=8, ai_cpus=8),
    _INFERENCE,
    _chip(_INFERENCE, "Ascend310P5", ai_cpus=8),
    _chip(_INFERENCE, "Ascend310P7", ai_cpus=8),
    _A2,
    _chip(_A2, "Ascend910B2"),
    _chip(_A2, "Ascend910B2C"),
    _chip(_A2, "Ascend910B3", cube_cores=20, vector_cores=40),
    _chip(_A2, "Ascend910B4", cube_cores=20, vector_cores=40, memory=32 * _GIB, l2=96 * _MIB),
    _chip(_A2, "Ascend910B4-1", cube_cores=20, vector_cores=40, memory_published=False,
          l2=168 * _MIB),
    _chip(_A3, "Ascend910_9362", cube_cores=20, vector_cores=40),
    _chip(_A3, "Ascend910_9363", cube_cores=20, vector_cores=40, memory=32 * _GIB),
    _chip(_A3, "Ascend910_9372", cube_cores=20, vector_cores=40),
    _chip(_A3, "Ascend910_9381"),
    _chip(_A3, "Ascend910_9382"),
    _A3,
    _chip(_A3, "Ascend910_9392"),
    _200I_500_A2,
    *(
        _chip(_200I_500_A2, name, memory_published=False)
        for name in ("Ascend310B2", "Ascend310B3", "Ascend310B4")
    ),
)  # fmt: skip

_BY_NAME: Final = {
    **{name.casefold(): family for family in PRODUCTS for name in (family.name, *family.aliases)},
    **{chip.soc_name: chip for chip in _CHIPS},
}

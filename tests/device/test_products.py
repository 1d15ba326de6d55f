"""Products and how they are found."""

import pytest

import ascendref as ar


@pytest.mark.parametrize(
    ("name", "family", "soc"),
    [
        ("Atlas training", "Atlas training", "Ascend910A"),
        ("Atlas inference", "Atlas inference", "Ascend310P3"),
        ("atlas a2", "Atlas A2", "Ascend910B1"),
        ("Atlas A3", "Atlas A3", "Ascend910_9391"),
        ("Atlas 200I/500 A2", "Atlas 200I/500 A2", "Ascend310B1"),
        ("Atlas 800I A2 推理产品", "Atlas A2", "Ascend910B1"),
        ("Atlas 训练系列产品", "Atlas training", "Ascend910A"),
        ("Ascend910B", "Atlas training", "Ascend910B"),
        ("Ascend910B3", "Atlas A2", "Ascend910B3"),
        ("Ascend910_9362", "Atlas A3", "Ascend910_9362"),
    ],
)
def test_find(name, family, soc):
    product = ar.Product.find(name)
    assert (product.name, product.soc_name) == (family, soc)
    assert ar.Product.find(product) is product


@pytest.mark.parametrize("name", ["Atlas", "ascend910b", "Ascend910B5", "", "910B"])
def test_unknown_names_are_refused_with_the_list(name):
    with pytest.raises(ValueError, match=r"Atlas A2.*Ascend910B3"):
        ar.Device(name)


def test_every_family_has_its_figures():
    bf16 = {product.name for product in ar.PRODUCTS if product.has_bfloat16}
    assert bf16 == {"Atlas A2", "Atlas A3"}
    limits = {product.name: product.stream_limit for product in ar.PRODUCTS}
    assert limits == {
        "Atlas training": 2048,
        "Atlas inference": 1024,
        "Atlas A2": 1984,
        "Atlas A3": 1984,
        "Atlas 200I/500 A2": 512,
    }
    b3 = ar.Device("Ascend910B3")
    assert (b3.cores.cube, b3.cores.vector) == (20, 40)
    assert b3.memory_total == b3.memory_free == 64 * 2**30
    assert b3.product.short_soc == "Ascend910B"
    assert ar.Product.find("Ascend910B4").memory == 32 * 2**30
    assert ar.Product.find("Atlas inference").memory == 24_000_000_000
    assert not ar.Product.find("Atlas training").memory_published


@pytest.mark.parametrize(
    ("name", "cores", "l2"),
    [
        ("Ascend910A", (32, 0, 4), 32),
        ("Ascend910ProB", (30, 0, 4), 32),
        ("Ascend310P1", (10, 8, 8), 16),
        ("Ascend310P3", (8, 7, 7), 16),
        ("Ascend310P7", (8, 7, 8), 16),
        ("Ascend910B1", (24, 48, 6), 192),
        ("Ascend910B4", (20, 40, 6), 96),
        ("Ascend910B4-1", (20, 40, 6), 168),
        ("Ascend910_9391", (24, 48, 6), 192),
        ("Ascend310B4", (1, 1, 4), 4),
    ],
)
def test_every_chip_has_its_numbers_of_cores(name, cores, l2):
    chip = ar.Product.find(name)
    assert (chip.cube_cores, chip.vector_cores, chip.ai_cpus) == cores
    assert chip.l2 == l2 * 2**20

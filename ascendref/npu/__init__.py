"""torch_npu on the emulated device; importing this module starts it.

Import it before torch and torch_npu. It builds the libraries that torch_npu needs if they do not
exist yet (this needs a C compiler), loads them and imports torch_npu. Operators that are not
emulated run on PyTorch's CPU kernels. The settings are environment variables, which ``ascendref
npu`` sets from its options. Processes that its program starts import this module by themselves.

=========================  ==================================================================
``ASCENDREF_PRODUCT``      the product, as for programs in C, like all variables of these
``ASCENDREF_CANN_VERSION`` the version of CANN that the program is told; 9.1.0 by default
``ASCENDREF_NPU_FALLBACK`` ``0`` refuses operators that are not emulated
``ASCENDREF_NPU_REPORT``   where the report goes at exit: ``-`` for stderr, or a file for JSON,
                           to whose counts it is added
=========================  ==================================================================
"""

from .start import start

start()

from .report import counts  # noqa: E402  (torch is there from now on)

__all__ = ["counts"]

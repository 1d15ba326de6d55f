"""Success means that every result is written; what the chips answer."""

import pytest

import ascendref as ar
from ascendref.cann.root import LIBRARIES
from ascendref.declaration.operator import APIS

from ..support.daily import TESTED
from ..support.processes import run

pytestmark = pytest.mark.full

SHORT = ("Ascend910B1", "Ascend310B1")  # which has all operators, and none
LONG = [
    pytest.param(name, marks=() if name in SHORT else pytest.mark.exhaustive)
    for name in (product.soc_name for product in ar.PRODUCTS)
]


@pytest.mark.parametrize("chip", LONG)
def test_success_means_that_all_is_written_and_refusal_that_nothing_is(root, chip):
    library = root / "lib64" / LIBRARIES[0]
    settings = {"ASCENDREF_PRODUCT": chip, "ASCENDREF_DEVICES": "2"}
    out = run("-m", "tests.cann.outputs", library, **settings)
    product = ar.Product.find(chip)
    refused = {
        f"{operator.api}GetWorkspaceSize"
        for operator in APIS.values()
        if operator.name in TESTED and operator.on(product) is None
    }
    if not product.captures_streams:
        refused |= {"aclmdlRICaptureEnd", "aclmdlRIGetId"}
    # a key comes from another process
    assert set(out.split()) == refused | {"aclrtIpcMemImportByKey"}


#: chip -> the lines that the program prints: capabilities, attributes, features, memory
ANSWERS = {
    "Ascend910B3": "20 40 201326592\n6 20 20 40 201326592 2201\n1 1 1\n3: 0 1 2\n0 1 1 1\n",
    "Ascend910_9391": "24 48 201326592\n6 24 24 48 201326592 2201\n1 1 1\n3: 0 1 2\n0 1 1 1\n",
    "Ascend910A": "32 0 33554432\n4 32 32 0 33554432 1001\n0 0 1\n1: 2\n0 1 1 0\n",
    "Ascend310P1": "10 8 16777216\n8 10 10 8 16777216 2002\n0 0 1\n1: 2\n1 1 1 0\n",
    "Ascend310B1": "1 1 4194304\n4 1 1 1 4194304 3002\n0 0 1\n1: 2\n1 1 1 0\n",
}


@pytest.mark.parametrize("chip", ANSWERS)
def test_a_program_gets_the_figures_of_its_chip(programs, chip):
    out, _ = programs.run("queries.c", ASCENDREF_PRODUCT=chip, ASCENDREF_DEVICES="2")
    assert out == ANSWERS[chip]

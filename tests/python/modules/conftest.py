import pytest

import opscope


def pytest_collection_modifyitems(items):
    if "aten-json" not in [row.id for row in opscope.formats()]:
        for item in items:
            item.add_marker(pytest.mark.skip(reason="this build reads no captured ATen ops"))

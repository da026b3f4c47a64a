"""Stores in a folder, and the files of columns beside them."""

import pytest


@pytest.fixture
def url(tmp_path):
    return f"surrealkv://{tmp_path}/store"


def file_of(tmp_path):
    return next((tmp_path / "store" / "columns").glob("*.columns"), None)

"""Notebooks show their results and give nothing away; nbmake runs them."""

import json
import re
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_shows_its_results_and_is_small(path):
    text = path.read_text(encoding="utf-8")
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    outputs = [output for cell in cells for output in cell["outputs"]]
    pages = ["".join(output.get("data", {}).get("text/html", "")) for output in outputs]
    assert any("<svg" in page or "<table" in page for page in pages)
    assert not [output for output in outputs if output["output_type"] == "error"]
    assert not [output for output in outputs if output.get("name") == "stderr"]
    assert len(text) < 500_000
    assert not re.search(r"/(home|root|work|tmp|Users)/", text)


def test_there_is_a_tour_and_a_time_travel():
    assert {"01_tour", "02_time_travel"} <= {path.stem for path in NOTEBOOKS}


def test_the_page_of_the_notebooks_names_each():
    page = (Path(__file__).parents[1] / "docs" / "notebooks.md").read_text(encoding="utf-8")
    assert re.findall(r"`(\w+)\.ipynb`", page) == [path.stem for path in NOTEBOOKS]

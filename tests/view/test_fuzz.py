"""Random calls of all public methods give values or our errors, and the graph stays sound."""

import pytest

from tests.view.fuzz import fuzz


@pytest.mark.parametrize("filled", [True, False], ids=["filled", "fresh"])
async def test_random_calls_give_values_or_our_errors(filled, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = await fuzz(150, 7, filled=filled, folder=tmp_path)
    assert outcome.findings == {}, str(outcome)
    assert outcome.outcomes["value"] > 50

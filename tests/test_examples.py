"""The examples' readers; their whole run needs models and data that no test has."""

import importlib.util
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

LOCOMO = Path(__file__).parents[1] / "examples" / "load_locomo.py"


@pytest.fixture(scope="module")
def locomo():
    spec = importlib.util.spec_from_file_location("load_locomo", LOCOMO)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_both_formats_of_locomo_are_the_same_turns(locomo, tmp_path):
    published = tmp_path / "locomo10.json"
    turns = [{"speaker": "Ann", "text": "Hi."}, {"speaker": "Bo", "text": "Ho."}]
    conversation = {"session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    published.write_text(json.dumps([{"sample_id": "conv-1", "conversation": conversation}]))
    lines = tmp_path / "corpus.jsonl"
    lines.write_text(
        "\n".join(
            json.dumps(row | {"group": "conv-1", "session": "session_1", "time": at})
            for row, at in zip(turns, ("2023-05-08T13:56:00", "2023-05-08T13:56:01"), strict=True)
        )
    )
    first, second = read = list(locomo.turns(published, "conv-1"))
    assert read == list(locomo.turns(lines, "conv-1"))
    assert (first.content, first.name, first.group) == ("Ann: Hi.", "session_1", "conv-1")
    assert second.reference_time == datetime(2023, 5, 8, 13, 56, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("content", "reason"),
    [(None, "cannot read"), ("no JSON", "is no LoCoMo file"), ("[]", "has no conversation")],
)
def test_bad_locomo_file_is_one_line(tmp_path, content, reason):
    file = tmp_path / "locomo10.json"
    if content is not None:
        file.write_text(content)
    done = subprocess.run([sys.executable, LOCOMO, file, "conv-1"], capture_output=True, text=True)
    assert done.returncode == 1
    assert reason in done.stderr and done.stderr.count("\n") == 1

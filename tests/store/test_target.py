import pytest

from graphrag.errors import StoreURLError
from graphrag.store.target import Target


@pytest.mark.parametrize(
    ("url", "shown", "embedded"),
    [
        ("mem://", "mem://", True),
        ("ws://db.example:8000", "ws://db.example:8000", False),
        ("https://db.example/rpc", "https://db.example/rpc", False),
    ],
)
def test_urls(url, shown, embedded):
    target = Target.parse(url)
    assert (target.url, target.embedded) == (shown, embedded)


def test_path_is_made_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Target.parse("surrealkv://./memory").path == tmp_path / "memory"


def test_credentials_leave_the_url_and_never_show():
    target = Target.parse("wss://ann:s%40crt@db.example")
    assert (target.url, target.user, target.password) == ("wss://db.example", "ann", "s@crt")
    assert "s@crt" not in repr(target)
    assert "s%40crt" not in repr(target)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("memory", "no store URL"),
        ("postgres://x", "unknown scheme"),
        ("surrealkv://", "names no folder"),
        ("surrealkv://x?sync=sometimes", "unknown option"),
        ("ws://", "no host"),
        ("ws://ann@db.example", "not both"),
    ],
)
def test_what_is_no_target_is_refused(url, message):
    with pytest.raises(StoreURLError, match=message):
        Target.parse(url)


def test_a_file_or_a_folder_with_other_files_is_refused(tmp_path):
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(StoreURLError, match="is a file"):
        Target.parse(f"surrealkv://{file}")
    with pytest.raises(StoreURLError, match="other files"):
        Target.parse(f"surrealkv://{tmp_path}")

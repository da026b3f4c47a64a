"""What is shown of a place and the way in."""

import pytest

from graphrag.errors import InputError
from graphrag.llm.chat import checked_url
from graphrag.settings import Settings, shown_url

SECRET = "hunter2"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"ws://root:{SECRET}@db:8000", "ws://db:8000"),
        (f"wss://root:p@ss/{SECRET}@db", "wss://db"),
        (f"https://user:{SECRET}@llm/v1?key={SECRET}#{SECRET}", "https://llm/v1"),
        (f"http://[{SECRET}@half", "http://half"),
        (f"root:{SECRET}@db", "db"),
        ("http://localhost:11434/v1", "http://localhost:11434/v1"),
        ("surrealkv://./me@home?sync=1s", "surrealkv://./me@home?sync=1s"),
        ("mem://", "mem://"),
    ],
)
def test_a_url_is_shown_without_secrets(url, shown):
    assert shown_url(url) == shown
    settings = repr(
        Settings(
            store=url, llm_base_url=url, password=SECRET, store_token=SECRET, llm_api_key=SECRET
        )
    )
    assert SECRET not in settings
    assert f"store={shown!r}" in settings
    assert f"llm_base_url={shown!r}" in settings


@pytest.mark.parametrize("url", ["http://[half", "ftp://x", f"//user:{SECRET}@x"])
def test_no_url_of_a_model_is_said_without_secrets(url):
    with pytest.raises(InputError, match="is no http") as raised:
        checked_url(url)
    assert SECRET not in str(raised.value)

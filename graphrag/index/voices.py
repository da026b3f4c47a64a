"""Who speaks in a message: somebody who asks, the user of an assistant."""

import re

_QUESTION = re.compile(r"[?\uff1f\u061f]\W*$")
"""A question mark at the end, at most emoji and quotes after it."""
_END = 40
"""Characters of a text that are looked at for one."""
_USER = re.compile(r"\s*(?:user|human)\s*:", re.IGNORECASE)
_OTHERS = re.compile(r"^\s*(?:assistant|ai|bot|system|tool)\s*:", re.IGNORECASE | re.MULTILINE)


def asks(message: str) -> bool:
    """Tell whether a message ends with a question."""
    return bool(_QUESTION.search(message[-_END:]))


def is_users(message: str) -> bool:
    """Tell whether a message is the user's in a chat with an assistant, and not a whole chat."""
    return bool(_USER.match(message)) and not _OTHERS.search(message)

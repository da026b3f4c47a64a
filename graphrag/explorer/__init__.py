"""The explorer: a page that draws a group over time, served or as a single file.

The served page has no inline script and loads only its own files. The single file contains
everything, each part by its hash in a policy that allows nothing else, and makes no requests.
Contents of a graph are inserted as data, never as HTML.
"""

import html
import json
import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content security policy of a served page."""
_HEIGHT = 640  # pixels of a frame in a notebook
_FILES: Final[Mapping[str, str]] = {
    name: f"vendor/{name}" if name.endswith(".min.js") else name
    for name in (
        *("graphology.umd.min.js", "sigma.min.js", "explorer.css"),
        *("dom.js", "model.js", "source.js", "scene.js", "panel.js", "time.js"),
        *("flow.js", "search.js", "curate.js", "review.js", "app.js"),
    )
}
"""Files of a page, by the name under which they are served."""
_KINDS: Final = {"js": "text/javascript", "css": "text/css"}
_LINK = re.compile(r'<link rel="stylesheet" href="explore/([\w.-]+)">')
_SCRIPT = re.compile(r'<script src="explore/([\w.-]+)" defer></script>')
_HEAD = "<!-- policy -->"
_DATA = "<!-- data -->"


def served() -> str:
    """Return the page that a server gives, without any data."""
    return _read("explorer.html").replace(_HEAD, "").replace(_DATA, "")


def part(name: str) -> tuple[str, str] | None:
    """Return a file of the served page with its media type, None if there is none."""
    return (_read(_FILES[name]), _KINDS[name.rpartition(".")[2]]) if name in _FILES else None


def page(data: Mapping[str, Any]) -> str:
    """Return the page as one file that shows this."""
    hashes: dict[str, str] = {"style": "", "script": ""}

    def inline(tag: str, name: str) -> str:
        text = _read(_FILES[name])
        hashes[tag] += f" 'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
        return f"<{tag}>{text}</{tag}>"

    whole = _read("explorer.html")
    whole = _LINK.sub(lambda link: inline("style", link[1]), whole)
    whole = _SCRIPT.sub(lambda link: inline("script", link[1]), whole)
    sources = "; ".join(f"{tag}-src{allowed}" for tag, allowed in hashes.items())
    policy = f"default-src 'none'; {sources}; img-src data:; base-uri 'none'; form-action 'none'"
    # Nothing in it can end the element, or begin a comment: "<" stands as JSON may write it.
    carried = json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    put = {
        _HEAD: f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">',
        _DATA: f'<script type="application/json" id="data">{carried}</script>',
    }
    return re.sub(f"{_HEAD}|{_DATA}", lambda mark: put[mark[0]], whole, count=2)


def frame(whole: str) -> str:
    """Return a page as a sandboxed ``<iframe>``, isolated from the notebook around it."""
    return (
        f'<iframe srcdoc="{html.escape(whole)}" sandbox="allow-scripts" title="explorer" '
        f'style="width:100%;height:{_HEIGHT}px;border:1px solid #8884;border-radius:8px"></iframe>'
    )


def _read(name: str) -> str:
    return files("graphrag.explorer").joinpath("static", name).read_text(encoding="utf-8")

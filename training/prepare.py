"""Parse texts once, for all training with them.

``python -m training.prepare --texts FILES --plain FILES --out windows.pickle`` writes the windows
of annotated texts and of texts without labels, which teachers read (``training.distil``).
"""

import argparse
import hashlib
import os
import pickle
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from graphrag.extract.neural.features import words_of
from graphrag.extract.neural.transformer import network
from training.annotated import Text, texts_of
from training.windows import LONGEST, Window, plain, shape_of, window_of

_HELD = 14
"""One text of so many is held."""
_PARTED = re.compile(r"\n\s*\n")
_NONE: Final = np.zeros(0, dtype=np.int64)
_CHUNK = 64


@dataclass(frozen=True, slots=True)
class Prepared:
    """Windows to learn from."""

    labelled: list[tuple[bool, Window]]
    """With whether it is held."""
    plain: list[Window]

    @classmethod
    def of(cls, texts: Iterable[Text], others: Iterable[str]) -> "Prepared":
        """Parse annotated texts, and others."""
        once = {text.text: text for text in texts if text.text.strip()}.values()
        labelled = [(is_held(text), window_of(text, network().pieces)) for text in once]
        return cls(labelled, [window for text in others if (window := _plain(text))])

    @classmethod
    def read(cls, path: Path) -> "Prepared":
        """Return what was written to a file of one's own; a pickle of others is not safe."""
        with path.open("rb") as file:
            labelled, others = pickle.load(file)
        windows = [*(window for _, window in labelled), *others]
        with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            whole = list(pool.map(_whole, windows, chunksize=_CHUNK))
        apart = [held for held, _ in labelled]
        return cls(
            list(zip(apart, whole[: len(apart)], strict=True)),
            whole[len(apart) :],
        )

    def write(self, path: Path) -> None:
        """Write them, without what their parse tells."""
        labelled = [(held, _lean(window)) for held, window in self.labelled]
        with path.open("wb") as file:
            pickle.dump((labelled, [_lean(window) for window in self.plain]), file)

    def parts(self) -> tuple[list[Window], list[Window], list[Window]]:
        """Return those to learn from, those that are held, and those without labels."""
        marked = [(held, window) for held, window in self.labelled if window.spans]
        return (
            [window for held, window in marked if not held],
            [window for held, window in marked if held],
            self.plain,
        )


def is_held(text: Text) -> bool:
    """Tell whether a text is held; it is so by its words, however many others there are."""
    return int(hashlib.md5(text.text.encode()).hexdigest(), 16) % _HELD == 0


def plain_texts(paths: Iterable[Path]) -> Iterator[str]:
    """Yield the paragraphs of some files."""
    for path in paths:
        yield from filter(None, map(str.strip, _PARTED.split(path.read_text("utf-8"))))


def _plain(text: str) -> Window | None:
    """Return the window of a text's first words, as many as are read at once."""
    words, _ = words_of(text)
    strings = [text[start:end] for start, end in zip(words.starts, words.ends, strict=True)]
    pieces = network().pieces(strings) if strings else []
    count = int(np.searchsorted(np.cumsum([len(some) for some in pieces]), LONGEST, "right"))
    return plain(words.part(0, count), pieces[:count]) if count else None


def _lean(window: Window) -> Window:
    return replace(window, roots=_NONE, joins=_NONE, ways=_NONE)


def _whole(window: Window) -> Window:
    roots, joins, ways = shape_of(window.words)
    return replace(window, roots=roots, joins=joins, ways=ways)


def main(arguments: list[str] | None = None) -> None:
    """Write the windows of texts."""
    parser = argparse.ArgumentParser(prog="python -m training.prepare", description=__doc__)
    parser.add_argument("--texts", nargs="+", type=Path, required=True, help="annotated texts")
    parser.add_argument("--plain", nargs="*", type=Path, default=[], help="texts without labels")
    parser.add_argument("--out", type=Path, required=True, help="where the windows are written")
    chosen = parser.parse_args(arguments)
    Prepared.of(texts_of(chosen.texts), plain_texts(chosen.plain)).write(chosen.out)


if __name__ == "__main__":
    main()

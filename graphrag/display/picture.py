"""What pictures share: colours, labels that cover nothing, and files to keep them in."""

from abc import ABC, abstractmethod
from os import PathLike
from pathlib import Path

from graphrag.errors import InputError

# Okabe and Ito's colours, which the colour-blind can tell apart, and two more.
COLOURS = (
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00"),
    *("#56b4e9", "#8c6bb1", "#b8a600", "#7f7f7f", "#8c564b"),
)
HALO = 'paint-order="stroke" stroke="white" stroke-opacity="0.8" stroke-width="2.5"'
"""Of a text over lines."""
_WIDE, _HIGH = 0.29, 0.25
"""Half the width of a letter, and how far it goes below its line, as shares of its size."""


class Labels:
    """Where texts stand: over no dot and no other text; one without room is left out."""

    def __init__(self) -> None:
        self._boxes: list[tuple[float, float, float, float]] = []

    def keep_free(self, x: float, y: float, radius: float) -> None:
        """Let no text stand on a dot."""
        self._boxes.append((x - radius, y - radius, x + radius, y + radius))

    def room(self, x: float, y: float, text: str, size: float) -> bool:
        """Tell whether a text has room, centred on ``x`` above ``y``, and take it if so."""
        half = len(text) * size * _WIDE
        box = x - half, y - size, x + half, y + size * _HIGH
        if any(
            box[0] < right and left < box[2] and box[1] < bottom and top < box[3]
            for left, top, right, bottom in self._boxes
        ):
            return False
        self._boxes.append(box)
        return True

    def beside(
        self, x: float, y: float, radius: float, text: str, size: float
    ) -> tuple[float, float] | None:
        """Return where a text has room beside a dot, None if nowhere."""
        half = len(text) * size * _WIDE + radius + 2
        for right, down in (
            *((0, -radius - 3), (0, radius + size), (half, size / 3), (-half, size / 3)),
            *((half * 0.7, -radius - 3), (-half * 0.7, -radius - 3)),
            *((half * 0.7, radius + size), (-half * 0.7, radius + size)),
        ):
            if self.room(x + right, y + down, text, size):
                return x + right, y + down
        return None


class Picture(ABC):
    """What can be drawn, and kept as a file."""

    __slots__ = ()

    @abstractmethod
    def to_svg(self) -> str:
        """Return the picture as an SVG document, for a file or a page."""

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the picture to an ``.svg`` file and return its path.

        Raises:
            InputError: if its name ends otherwise, or it cannot be written.
        """
        file = Path(path)
        if file.suffix.casefold() != ".svg":
            raise InputError(f"{file.name!r} is no picture: end its name in .svg")
        try:
            file.write_text(self.to_svg(), encoding="utf-8")
        except (OSError, ValueError) as error:
            raise InputError(f"cannot write {file}: {getattr(error, 'strerror', error)}") from None
        return file

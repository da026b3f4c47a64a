"""Shared parts of pictures: colours, ink and paper, placement of labels, files."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, repeat
from os import PathLike
from pathlib import Path
from typing import Literal

from graphrag.display.visible import cut, escape
from graphrag.errors import InputError, MissingExtraError

Theme = Literal["light", "dark"]
_INK: Mapping[Theme, tuple[str, str]] = {
    "light": ("#222222", "#ffffff"),
    "dark": ("#e4e6ea", "#15191e"),
}
"""Ink and paper of a picture that stands alone."""
_PAGE = "var(--jp-layout-color0,var(--vscode-editor-background,Canvas))"
"""Paper of a page: of JupyterLab, of Visual Studio Code, or of a browser."""

# Okabe and Ito's colours, which the colour-blind can tell apart, and two more.
COLOURS = (
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00"),
    *("#56b4e9", "#8c6bb1", "#b8a600", "#7f7f7f", "#8c564b"),
)
_USUAL = ("person", "organization", "place", "concept", "thing", "event")
"""Types that have the same colour in every picture; what others are there share the rest."""
_FONT = "Helvetica, Arial, Liberation Sans, DejaVu Sans, Noto Sans, Segoe UI, sans-serif"
"""By name, too: what draws a file may not know which one "sans-serif" is."""
_WIDE, _HIGH = 0.29, 0.25  # half the width of a letter, its depth below the line; of its size
_ZOOM = 2  # dots of a PNG for each pixel of a picture, so that letters are sharp on a slide
_Box = tuple[float, float, float, float]


def width_of(text: str, size: float) -> float:
    """Return the approximate width of a text."""
    return 2 * _WIDE * size * len(text)


def word(
    x: float,
    y: float,
    text: str,
    size: float = 11,
    *,
    anchor: Literal["start", "middle", "end"] = "start",
    soft: bool = False,
    bold: bool = False,
) -> str:
    """Return a text in the ink of the page, on the line ``y``."""
    marks = ' fill-opacity="0.66"' if soft else ""
    marks += ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{marks}>'
        f"{escape(text)}</text>"
    )


def shape(tag: str, attributes: Mapping[str, object], title: str = "") -> str:
    """Return an element of SVG; ``title`` is shown when somebody points at it."""
    values = "".join(
        f' {name}="{value:.1f}"' if isinstance(value, float) else f' {name}="{value}"'
        for name, value in attributes.items()
    )
    return f"<{tag}{values}>{f'<title>{escape(title)}</title>' if title else ''}</{tag}>"


def rule(path: str, opacity: float) -> str:
    """Return a thin line in the ink of the page."""
    line = {"d": path, "stroke": "currentColor", "fill": "none"}
    return shape("path", {**line, "stroke-opacity": f"{opacity:g}"})


def type_colours(types: Iterable[str]) -> dict[str, str]:
    """Return a colour for each type, the commonest first."""
    kinds = [kind for kind, _ in Counter(types).most_common()]
    usual = dict(zip(_USUAL, COLOURS, strict=False))
    free = [colour for colour in COLOURS if colour not in {usual.get(kind) for kind in kinds}]
    others = chain(free, repeat(COLOURS[-1]))
    return {kind: usual.get(kind) or next(others) for kind in kinds}


def legend(colours: Mapping[str, str], y: float, width: float) -> tuple[str, str, float]:
    """Return dots, what they mean, and where the next line would stand."""
    x, dots, words = 12.0, "", ""
    for kind, colour in colours.items():
        text = cut(kind, 28)
        step = width_of(text, 11) + 36
        if x > 12 and x + step > width:
            x, y = 12.0, y + 18
        dots += f'<rect x="{x:.1f}" y="{y:.1f}" width="10" height="10" rx="5" fill="{colour}"/>'
        words += word(x + 15, y + 9, text)
        x += step
    return dots, words, y + 22


@dataclass(frozen=True, slots=True)
class Drawing:
    """Shapes, and the words over them, in the ink of the page."""

    width: float
    height: float
    shapes: str
    words: str = ""

    def document(self, theme: Theme | None) -> str:
        """Return it as an SVG document: on paper of its own, or as a part of a page."""
        if theme is None:
            colour, ground, halo = "", "", f'style="stroke:{_PAGE}"'
        else:
            ink, paper = _INK[theme]
            colour, ground = f' color="{ink}"', f'<path fill="{paper}" d="M0 0H9999V9999H0z"/>'
            halo = f'stroke="{paper}"'
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" '
            f'viewBox="0 0 {self.width:.0f} {self.height:.0f}" width="{self.width:.0f}" '
            f'role="img" font-family="{_FONT}" style="max-width:100%"{colour}>{ground}'
            f'{self.shapes}<g fill="currentColor" {halo} stroke-opacity="0.8" stroke-width="2.5" '
            f'stroke-linejoin="round" paint-order="stroke">{self.words}</g></svg>'
        )


def note(text: str) -> Drawing:
    """Return a picture that contains only a message."""
    return Drawing(width_of(text, 12) + 24, 30, "", word(8, 20, text, 12))


class Labels:
    """Placement of texts: none covers a dot or another text; those without room are left out."""

    def __init__(self, dots: Iterable[tuple[float, float, float]] = ()) -> None:
        self._boxes: list[_Box] = [(x - r, y - r, x + r, y + r) for x, y, r in dots]

    def best(
        self, spots: Iterable[tuple[float, float]], text: str, size: float
    ) -> tuple[float, float] | None:
        """Take the first spot, centred on ``x`` above ``y``, with room; None if there is none."""
        half = width_of(text, size) / 2
        for x, y in spots:
            box = (x - half, y - size, x + half, y + size * _HIGH)
            if not any(
                box[0] < right and left < box[2] and box[1] < bottom and top < box[3]
                for left, top, right, bottom in self._boxes
            ):
                self._boxes.append(box)
                return x, y
        return None

    def beside(
        self, x: float, y: float, radius: float, text: str, size: float
    ) -> tuple[float, float] | None:
        """Return where a text has room beside a dot, None if nowhere."""
        half = width_of(text, size) / 2 + radius + 2
        around = (
            *((0, -radius - 3), (0, radius + size), (half, size / 3), (-half, size / 3)),
            *((half * 0.7, -radius - 3), (-half * 0.7, -radius - 3)),
            *((half * 0.7, radius + size), (-half * 0.7, radius + size)),
        )
        return self.best(((x + right, y + down) for right, down in around), text, size)


class Picture(ABC):
    """Base of results that can be drawn and saved as a picture."""

    __slots__ = ()

    @abstractmethod
    def _draw(self) -> Drawing:
        """Return what there is to see."""

    def to_svg(self, *, theme: Theme | None = None) -> str:
        """Return the picture as an SVG document.

        Args:
            theme: ``light`` or ``dark`` background; default: none, with the colours of the page.
        """
        return self._draw().document(theme)

    def _repr_html_(self) -> str:
        return self.to_svg()

    def save(self, path: str | PathLike[str], *, theme: Theme = "light") -> Path:
        """Write the picture to an ``.svg`` or a ``.png`` file and return its path.

        Args:
            path: Path of the file; its ending selects the format.
            theme: ``light`` or ``dark`` background.

        Raises:
            InputError: if the ending is another one, the file cannot be written, or, for a PNG,
                this machine has no font.
            MissingExtraError: for a PNG if the extra ``notebook`` is not installed.
        """
        file = Path(path)
        kind = file.suffix.casefold()
        if kind not in (".svg", ".png"):
            raise InputError(f"{file.name!r} is no picture: end its name in .svg or .png")
        if theme not in _INK:
            raise InputError(f"theme {theme!r}: choose from {', '.join(_INK)}")
        document = self.to_svg(theme=theme)
        content = document.encode() if kind == ".svg" else _png(document)
        try:
            file.write_bytes(content)
        except (OSError, ValueError) as error:
            raise InputError(f"cannot write {file}: {getattr(error, 'strerror', error)}") from None
        return file


def _png(document: str) -> bytes:
    try:
        from resvg_py import svg_to_bytes
    except ImportError as error:
        raise MissingExtraError("a picture as .png", "notebook") from error
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" font-family="{_FONT}">'
    letter = svg_to_bytes(svg_string=f'{head}<text y="9" font-size="9">M</text></svg>')
    if letter == svg_to_bytes(svg_string=f"{head}</svg>"):
        raise InputError("no font for the words of a .png: install one, say DejaVu; or save .svg")
    return bytes(svg_to_bytes(svg_string=document, zoom=_ZOOM))

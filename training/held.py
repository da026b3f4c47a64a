"""How well held texts are read, by the reader of the library itself."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import torch

from graphrag.extract.neural.annotation import Link, Reading
from graphrag.extract.neural.transformer import Floats, Network
from training.annotated import RELATIONS
from training.model import Reader
from training.windows import Window

_FLOORS: Final = (0.3, 0.5, 0.7, 0.8, 0.9)
"""How sure a fact must be to be counted; at the second its dates are compared."""
_HALF = 0.5


class EncoderSession:
    """An encoder under training, as the runtime's session of its file."""

    def __init__(self, model: Reader) -> None:
        """Take the model."""
        self._encoder = model.encoder
        self._device = next(model.parameters()).device

    @torch.no_grad()
    def run(self, outputs: None, given: Mapping[str, Any]) -> list[Floats]:
        """Return the states of pieces."""
        ids, mask = (
            torch.from_numpy(given[name]).to(self._device)
            for name in ("input_ids", "attention_mask")
        )
        states: Floats = self._encoder(ids, mask).float().cpu().numpy()
        return [states]


def network_of(model: Reader) -> Network:
    """Return what reads with the weights that a model has now."""
    session: Any = EncoderSession(model)
    tokenizer: Any = None  # windows bring their pieces
    return Network(session, tokenizer, model.heads(), RELATIONS)


class Score:
    """Counts of what was read rightly, over some windows."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, window: Window, reading: Reading) -> None:
        """Count one window."""
        marked = {span[:2]: span[2] for span in window.spans}
        found = {(span.start, span.end): span.kind for span in reading.spans if span.sure > _HALF}
        self._count("spans", len(found.items() & marked.items()), len(found), len(marked))
        ids = [
            window.meanings.get((span.start, span.end), f"#{number}")
            for number, span in enumerate(reading.spans)
        ]
        facts = [
            ((ids[link.subject], link.relation, ids[link.object]), link) for link in reading.links
        ]
        for floor in _FLOORS:
            sure = {key: link for key, link in reversed(facts) if link.sure >= floor}
            right = sure.keys() & window.facts.keys()
            self._count(f"facts at {floor}", len(right), len(sure), len(window.facts))
            if floor == _HALF:
                dates = {
                    key: {role: ids[span] for role, span, _ in _by_sureness(sure[key])}
                    for key in right
                }
                as_told = sum(dates[key] == window.facts[key] for key in right)
                self._count("dates", as_told, len(right), len(right))
        alike = sum(ids[later] == ids[earlier] for later, earlier in reading.same.items())
        self._count("same", alike, len(reading.same), len({later for later, _ in window.same}))

    def _count(self, what: str, right: int, found: int, told: int) -> None:
        self._counts.update({f"{what} right": right, f"{what} found": found, f"{what} told": told})

    def __str__(self) -> str:
        """Show precision and recall of each."""
        names = [name.removesuffix(" right") for name in self._counts if name.endswith(" right")]
        return ", ".join(
            f"{name} {self._percent(name, 'found')}/{self._percent(name, 'told')}" for name in names
        )

    def _percent(self, name: str, of: str) -> str:
        right, all_ = self._counts[f"{name} right"], self._counts[f"{name} {of}"]
        return f"{100 * right / max(all_, 1):.1f}"


def _by_sureness(link: Link) -> list[tuple[str, int, float]]:
    """Return a link's dates, the surest last."""
    return sorted(link.dates, key=lambda date: date[2])


def score(model: Reader, windows: Sequence[Window]) -> Score:
    """Return how well a model reads windows that it was not trained with."""
    model.eval()
    reader = network_of(model)
    found = Score()
    for window in windows:
        reading = reader.read(window.words, [list(some) for some in window.pieces], _FLOORS[0])
        found.add(window, reading)
    return found

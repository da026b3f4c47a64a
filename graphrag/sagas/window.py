"""An episode with those that were told just before and after it."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphrag.display.visible import escape
from graphrag.model.values import Episode


@dataclass(frozen=True, slots=True, repr=False)
class EpisodeWindow:
    """An episode and its neighbours in time, all in order."""

    before: tuple[Episode, ...]
    episode: Episode
    after: tuple[Episode, ...]

    def __iter__(self) -> Iterator[Episode]:
        """Iterate over the episodes, in order."""
        return iter((*self.before, self.episode, *self.after))

    def __len__(self) -> int:
        """Count the episodes."""
        return len(self.before) + 1 + len(self.after)

    def __repr__(self) -> str:
        """Show the episode and how many stand beside it."""
        one = self.episode
        said = one.name or one.content[:40]
        return (
            f"EpisodeWindow({one.valid_at:%Y-%m-%d} {said!r}, {len(self.before)} before, "
            f"{len(self.after)} after)"
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{one.valid_at:%Y-%m-%d %H:%M}</td><td>{escape(_said(one, self))}</td></tr>"
            if one is not self.episode
            else f"<tr><td><b>{one.valid_at:%Y-%m-%d %H:%M}</b></td>"
            f"<td><b>{escape(_said(one, self))}</b></td></tr>"
            for one in self
        )
        return f"<table>{rows}</table>"


def _said(one: Episode, window: EpisodeWindow) -> str:
    return one.content[:300] if one is window.episode else one.content[:150]

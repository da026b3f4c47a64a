"""Lists that people read: what is cut from one is one, too; numbers of things in words."""

from typing import Self, SupportsIndex, TypeVar, overload

Item = TypeVar("Item")


class Listed(list[Item]):
    """A list whose slices are of its own kind."""

    @overload
    def __getitem__(self, at: SupportsIndex) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> Self: ...
    def __getitem__(self, at: SupportsIndex | slice) -> Item | Self:
        """Return one item, or a list of some."""
        if isinstance(at, slice):
            return type(self)(super().__getitem__(at))
        return super().__getitem__(at)


def some(count: int, one: str, several: str = "") -> str:
    """Return a number of things in words: ``1 fact``, ``2,000 facts``."""
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"

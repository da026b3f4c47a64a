"""Who names and summarizes communities: the facts themselves, or a language model."""

from collections.abc import Mapping, Sequence, Set
from typing import Protocol

from graphrag.community.describe import Describer, Description
from graphrag.community.draft import Draft
from graphrag.models import Community

Told = tuple[Description, str]
"""What is said of a community, and the mark by which it is known to be still right."""


class Author(Protocol):
    """Describes communities in the making."""

    async def describe(
        self,
        drafts: Sequence[Draft],
        known: Mapping[int, Community],
        describer: Describer,
        taken: Set[str],
    ) -> list[Told]:
        """Return what is to be said of each draft, the old words where nothing changed.

        Args:
            drafts: Parents before their parts.
            known: The community that a draft continues, by its place.
            describer: Knows names and facts.
            taken: Names of other communities.
        """


class Facts:
    """Describes communities by names, relations and dates."""

    async def describe(
        self,
        drafts: Sequence[Draft],
        known: Mapping[int, Community],
        describer: Describer,
        taken: Set[str],
    ) -> list[Told]:
        """Return what is to be said of each draft; what a model said of the same stays."""
        kept = {
            place: one
            for place, one in known.items()
            if one.fingerprint.partition(" ")[0] == drafts[place].fingerprint
        }
        names = {*taken, *(one.name for one in kept.values())}
        found: list[Told] = []
        for place, draft in enumerate(drafts):
            if (same := kept.get(place)) is not None:
                found.append((Description(same.name, same.summary), same.fingerprint))
                continue
            said = describer.describe(draft.subject, names)
            names.add(said.name)
            found.append((said, draft.fingerprint))
        return found

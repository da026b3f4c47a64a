"""What stays when something is forgotten, without what it had from there.

What an erased fact had closed holds again, as far as the rules leave room; what an erased text had
added to a fact or an entity is taken off it; and a fact whose sentence only an erased text had is
stated by a text that stays.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from graphrag.edit.reopen import closed_by, recut, rivals_of
from graphrag.edit.unmerge import undone
from graphrag.history.erasure import Doomed
from graphrag.history.redact import Eraser, Told, as_told
from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.model.values import Change, Entity, Fact, Span
from graphrag.store.engine import Row
from graphrag.store.rows import from_row

Value = TypeVar("Value", Entity, Fact)


class Tellings:
    """What the erased episodes did to records that stay, newest first."""

    def __init__(self, doomed: Doomed) -> None:
        self._changes: dict[str, list[Change]] = defaultdict(list)
        gone = {f"episode:{id_}" for id_ in doomed.ids["episode"]}
        for changes in reversed(doomed.group.changes):
            told = {one["record"] for one in changes if one["record"].startswith("episode:")}
            if told and told <= gone:
                for one in changes:
                    change = Change(one["record"], one["before"], one["after"])
                    self._changes[one["record"]].append(change)

    def words(self) -> set[str]:
        """Return what they said of facts that stay: sentences, and reasons that quote them."""
        images = [change.after or {} for changes in self._changes.values() for change in changes]
        said = {image["fact"] for image in images if image.get("fact")}
        return said | {
            image["reason"]
            for image in images
            if image.get("reason") and image.get("closed_as") != "retracted"
        }

    def of(self, record: str) -> list[Change]:
        """Return what they did to a record, newest first."""
        return self._changes.get(record, [])


async def spared_facts(
    doomed: Doomed, tellings: Tellings, index: GroupIndex, ingestion: Ingestion, now: datetime
) -> tuple[dict[str, Fact], dict[str, Fact]]:
    """Return the facts that stay, as they are and as they are to be, with all their words."""
    rows = doomed.kept("relates_to")
    stored = {id_: from_row(Fact, row) for id_, row in rows.items()}
    before = index.heirs.follow(stored, index.entity_name)
    after = dict(before)
    for id_ in after:
        for change in tellings.of(f"relates_to:{id_}"):
            if change.before is not None and change.after is not None:
                after[id_] = undone(after[id_], change)
    await _release(after, doomed, ingestion)
    for id_, fact in after.items():
        spans = tuple(s for s in fact.sources if s.episode_id not in doomed.ids["episode"])
        if spans != fact.sources:
            after[id_] = replace(fact, sources=spans)
    released = [
        id_
        for id_, fact in after.items()
        if _lifetime(fact) != _lifetime(before[id_]) and fact.retracted_at is None
    ]
    for id_ in sorted(released):
        found = await rivals_of([after[id_]], index, ingestion.store, ingestion.relations)
        rivals = {one: after[one] for one in found if one in after}
        after[id_], others = recut(after[id_], rivals, ingestion.relations, now=now)
        after |= others
    return before, after


async def _release(after: dict[str, Fact], doomed: Doomed, ingestion: Ingestion) -> None:
    """Give back what the erased facts had closed; what one gives back, another may have closed."""
    fallen = [from_row(Fact, row) for row in doomed.rows("relates_to")]
    for _ in range(len(fallen) + 1):
        closers = {fact.invalidated_by for fact in after.values()} & doomed.ids["relates_to"]
        freed: dict[str, Fact] = {}
        for one in fallen:
            if one.id in closers:
                freed |= await closed_by(
                    one,
                    after.values(),
                    ingestion.store,
                    corrected=True,
                    gone=doomed.ids["episode"],
                )
        if not freed:
            break
        after |= freed
    for id_, fact in after.items():
        # What a person has put aside stays so, whatever was put in its place.
        if fact.invalidated_by in doomed.ids["relates_to"]:
            after[id_] = replace(fact, invalidated_by=None)


def sentences(doomed: Doomed, tellings: Tellings) -> tuple[str, ...]:
    """Return what the erased facts and texts say and no text that stays does, longest first."""
    kept = doomed.kept_words()
    said = {row["fact"] for row in doomed.rows("relates_to")} | tellings.words()
    gone = doomed.ids["episode"]
    said |= {
        row["fact"]
        for row in doomed.kept("relates_to").values()
        if any(span["episode"] in gone for span in row.get("sources", ()))
    }
    alone = (one for one in said if one and one not in kept)
    return tuple(sorted(alone, key=len, reverse=True))


def restated(fact: Fact, eraser: Eraser, episodes: Mapping[str, Row]) -> Fact:
    """Return a fact without what is erased from its words."""
    text = fact.fact
    if text in eraser.sentences:
        text = next(_quotes(fact.sources, episodes), "") or _plainly(fact)
    return replace(
        fact,
        fact=eraser.text(text),
        subject=eraser.names.cleaned(fact.subject),
        object=eraser.names.cleaned(fact.object),
        reason=fact.reason and eraser.text(fact.reason),
        attributes=eraser.image(f"relates_to:{fact.id}", {"attributes": fact.attributes})[
            "attributes"
        ],
        provenance=tuple(map(eraser.names.cleaned, fact.provenance)),
    )


def untold(value: Value, changes: Sequence[Change]) -> Value:
    """Return an entity or a fact without the attributes that only these changes gave it."""
    attributes, times = dict(value.attributes), dict(value.attribute_times)
    for change in changes:
        if change.after is None:
            continue
        was, is_ = change.before or {}, change.after
        for name, item in (is_.get("attributes") or {}).items():
            old = was.get("attributes") or {}
            if name in old and old[name] == item:
                continue
            told_at = (is_.get("attribute_times") or {}).get(name)
            if attributes.get(name) != item or times.get(name) != told_at:
                continue  # told again since, or something else was
            del attributes[name]
            times.pop(name, None)
            if name in old:
                attributes[name] = old[name]
                if name in (since := was.get("attribute_times") or {}):
                    times[name] = since[name]
    return replace(value, attributes=attributes, attribute_times=times)


def told_by(changes: Iterable[Change]) -> set[Told]:
    """Return the attributes that changes gave a record."""
    found: set[Told] = set()
    for change in changes:
        old, new = (
            (image or {}).get("attributes") or {} for image in (change.before, change.after)
        )
        found |= {as_told(*pair) for pair in new.items()} - {as_told(*pair) for pair in old.items()}
    return found


def called_by(changes: Iterable[Change]) -> set[str]:
    """Return the aliases that changes gave an entity."""
    found: set[str] = set()
    for change in changes:
        old, new = ((image or {}).get("aliases") or () for image in (change.before, change.after))
        found |= {*new} - {*old}
    return found


def _quotes(spans: Iterable[Span], episodes: Mapping[str, Row]) -> Iterator[str]:
    for span in spans:
        if span.episode_id in episodes:
            yield episodes[span.episode_id]["content"][span.start : span.end].strip()


def _plainly(fact: Fact) -> str:
    return f"{fact.subject} {fact.relation.replace('_', ' ')} {fact.object}."


def _lifetime(fact: Fact) -> tuple[datetime | None, ...]:
    return fact.valid_at, fact.invalid_at, fact.retracted_at

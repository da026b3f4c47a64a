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

from graphrag.edit.unmerge import undone
from graphrag.history.erasure import Doomed
from graphrag.history.redact import Attribute, Eraser, Sentences, comparable
from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.component import Component
from graphrag.ingest.lifetimes.rivalry import stands
from graphrag.ingest.lifetimes.said import gone_from
from graphrag.model.assertion import Assertion, Ending
from graphrag.model.values import Change, Entity, Fact, Span
from graphrag.protocols import in_turns
from graphrag.store.engine import Row
from graphrag.store.rows import from_row

Value = TypeVar("Value", Entity, Fact)


class Tellings:
    """What the erased episodes did to records that stay, newest first."""

    def __init__(self, doomed: Doomed) -> None:
        self._changes: dict[str, list[Change]] = defaultdict(list)
        gone = {f"episode:{id_}" for id_ in doomed.ids["episode"]}
        for changes in reversed(doomed.group.changes):
            episodes = {
                change["record"] for change in changes if change["record"].startswith("episode:")
            }
            if episodes and episodes <= gone:
                for one in changes:
                    change = Change(one["record"], one["before"], one["after"])
                    self._changes[one["record"]].append(change)

    def words(self) -> set[str]:
        """Return what they said of facts that stay: sentences, and reasons that quote them."""
        images = [change.after or {} for changes in self._changes.values() for change in changes]
        said = {image["text"] for image in images if image.get("text")}
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
    stored = {id_: from_row(Fact, row) async for id_, row in in_turns(rows.items())}
    before = index.heirs.follow(stored, index.entity_name)
    after = {id_: _without(fact, doomed) async for id_, fact in in_turns(before.items())}
    for id_ in after:
        for change in tellings.of(f"relates_to:{id_}"):
            if change.before is not None and change.after is not None:
                after[id_] = undone(after[id_], change)
    component = Component.of(index, ingestion.relations)
    lost = [id_ for id_, fact in after.items() if fact.statements != before[id_].statements]
    entity_rows = doomed.group.rows["entity"].items()
    entities = {id_: from_row(Entity, row) async for id_, row in in_turns(entity_rows)}
    ended = [
        (ending.relation, index.heirs.of(id_))
        for id_, it in entities.items()
        for ending in it.endings
    ]
    reached = component.reach_from([*sorted(doomed.ids["relates_to"]), *lost])
    touched = [id_ for id_ in (*reached, *component.reach((), ended)) if id_ in after]
    component.stored = {id_: before[id_] for id_ in touched}
    component.facts = {id_: after[id_] for id_ in touched}
    links = ingestion.relations.nesting
    component.nested = {
        id_: fact for id_, fact in after.items() if fact.relation in links and stands(fact)
    }
    if component.nearby is not None:
        component.nearby.context = dict(after)
    for id_, entity in entities.items():
        if id_ not in doomed.ids["entity"] and (endings := spared_endings(entity, doomed)):
            heir = index.heirs.of(id_)
            component.endings[heir] = (*component.endings.get(heir, ()), *endings)
    component.settle(gone_from(index, gone=doomed.ids["episode"]), now=now)
    after |= component.facts
    erased = doomed.ids["relates_to"]
    while fallen := [
        id_
        for id_, fact in after.items()
        if fact.retracted_at is not None and not erased.isdisjoint(fact.derived_from)
    ]:  # what was inferred from what is erased, and what was inferred from that
        erased.update(fallen)
        for id_ in fallen:
            before.pop(id_, None)
            del after[id_]
    return before, after


def spared_endings(entity: Entity, doomed: Doomed) -> tuple[Ending, ...]:
    """Return what was said of an entity that is no fact, by texts that stay."""
    gone = doomed.ids["episode"]
    return tuple(ending for ending in entity.endings if ending.assertion.source not in gone)


def _without(fact: Fact, doomed: Doomed) -> Fact:
    """Return a fact without what erased texts said of it, and without erased facts beside it."""
    gone, facts = doomed.ids["episode"], doomed.ids["relates_to"]
    statements = []
    for statement in fact.statements:
        if statement.source in gone:
            if not statement.manual:
                continue
            statement = replace(statement, source="", start=0, end=0)
        if statement.void is not None and statement.void.fact in facts:
            statement = replace(statement, void=replace(statement.void, fact=None))
        statements.append(statement)
    spans = tuple(span for span in fact.sources if span.episode_id not in gone)
    rivals = tuple(id_ for id_ in fact.rivals if id_ not in facts)
    closer = None if fact.invalidated_by in facts else fact.invalidated_by
    return replace(
        fact, statements=tuple(statements), sources=spans, rivals=rivals, invalidated_by=closer
    )


async def sentences(doomed: Doomed, tellings: Tellings) -> Sentences:
    """Return what the erased facts and texts say and no text that stays does."""
    said = {row["text"] for row in doomed.rows("relates_to")} | tellings.words()
    gone = doomed.ids["episode"]
    said |= {
        row["text"]
        for row in doomed.kept("relates_to").values()
        if any(span["episode"] in gone for span in row.get("sources", ()))
    }
    alone = said - {""}
    all_said = Sentences(alone)
    async for episode in in_turns(doomed.kept("episode").values()):
        alone.difference_update(all_said.within(episode["content"]))
    return Sentences(alone)


def restated(fact: Fact, eraser: Eraser, episodes: Mapping[str, Row]) -> Fact:
    """Return a fact without what is erased from its words."""
    text = fact.text
    if text in eraser.sentences:
        text = next(_quotes(fact.sources, episodes), "") or _plainly(fact)
    return replace(
        fact,
        text=eraser.text(text),
        subject=eraser.names.cleaned(fact.subject),
        object=eraser.names.cleaned(fact.object),
        reason=fact.reason and eraser.text(fact.reason),
        statements=tuple(unsaid(statement, eraser) for statement in fact.statements),
        attributes=eraser.image(f"relates_to:{fact.id}", {"attributes": fact.attributes})[
            "attributes"
        ],
        provenance=tuple(map(eraser.names.cleaned, fact.provenance)),
    )


def unsaid(one: Assertion, eraser: Eraser) -> Assertion:
    """Return a statement without what is erased from the reasons of people."""
    if not (one.void or one.reason or one.subject_as or one.object_as):
        return one  # as nearly all are
    void = one.void and replace(one.void, reason=eraser.text(one.void.reason))
    subject, object_ = eraser.text(one.subject_as), eraser.text(one.object_as)
    said = replace(one, subject_as=subject, object_as=object_)
    return replace(said, reason=eraser.text(one.reason), void=void)


def without_given(value: Value, changes: Sequence[Change]) -> Value:
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
            stated_at = (is_.get("attribute_times") or {}).get(name)
            if attributes.get(name) != item or times.get(name) != stated_at:
                continue  # stated again since, or something else was
            del attributes[name]
            times.pop(name, None)
            if name in old:
                attributes[name] = old[name]
                if name in (since := was.get("attribute_times") or {}):
                    times[name] = since[name]
    return replace(value, attributes=attributes, attribute_times=times)


def given_by(changes: Iterable[Change]) -> set[Attribute]:
    """Return the attributes that changes gave a record."""
    found: set[Attribute] = set()
    for change in changes:
        old, new = (
            (image or {}).get("attributes") or {} for image in (change.before, change.after)
        )
        held = {comparable(*pair) for pair in old.items()}
        found |= {comparable(*pair) for pair in new.items()} - held
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

"""What a saga is, worked out from the rows of the store with plain Python."""

import random
from dataclasses import dataclass

from graphrag.errors import InputError
from graphrag.store.record import unlinked
from graphrag.temporal.moment import utc_now
from tests.engine.worlds import change, moment, sentence

SAGAS = ("diary", "letters")


@dataclass(frozen=True)
class Plain:
    """Ids of what a saga holds."""

    episodes: tuple[str, ...]
    entities: frozenset[str]
    facts: frozenset[str]
    ever: frozenset[str]


async def plain_sagas(graph, at=None):
    """Return every saga as it is now, or of what is known now as of a moment of world time."""
    rows = {}
    for table in ("episode", "mentions", "entity", "relates_to"):
        [found] = await graph.handle.session.store.query(f"SELECT * OMIT embedding FROM {table};")
        rows[table] = [*map(unlinked, found)]
    entities = {row["id"].id: row for row in rows["entity"]}

    def heir(id_):
        while into := entities[id_].get("merged_into"):
            id_ = into
        return id_

    def holds(row):
        start, end = row.get("valid_at"), row.get("invalid_at")
        then = at or utc_now()
        began = start is None or start <= then
        return began and (end is None or then < end) and not row.get("retracted_at")

    found = {}
    for saga in SAGAS:
        inside = sorted(
            (row["valid_at"], row["id"].id)
            for row in rows["episode"]
            if row.get("saga") == saga and not row.get("removed_at")
            if at is None or row["valid_at"] <= at
        )
        ids = [id_ for _, id_ in inside]
        spoken = {heir(row["out"].id) for row in rows["mentions"] if row["in"].id in ids}
        told = [
            row
            for row in rows["relates_to"]
            if {span["episode"] for span in row["sources"]} & set(ids) and not row.get("pending")
        ]
        found[saga] = Plain(
            tuple(ids),
            frozenset(id_ for id_ in spoken if not entities[id_].get("removed_at")),
            frozenset(row["id"].id for row in told if holds(row)),
            frozenset(row["id"].id for row in told),
        )
    return found


def plain(view):
    """Return a saga that was read, in the same form."""
    return Plain(
        tuple(one.id for one in view.episodes),
        frozenset(one.id for one in view.entities),
        frozenset(one.id for one in view.facts),
        frozenset(one.fact.id for one in view.timeline),
    )


async def history(graph, seed, *, steps=20, after_each=None):
    """Tell a random history with edits; return what every saga was at some moments."""
    dice = random.Random(seed)
    told, known = [], []
    for _ in range(steps):
        if told and dice.random() < 0.3:
            await change(graph, dice, told, "default")
        elif told and dice.random() < 0.2:
            again = dice.choice(told).episode
            try:
                await graph.add_episode(
                    again.content, reference_time=again.valid_at, saga=dice.choice(SAGAS)
                )
            except InputError:
                pass  # it is in the other one
        else:
            added = await graph.add_episode(
                " ".join(sentence(dice) for _ in range(dice.randint(1, 3))),
                reference_time=moment(dice),
                saga=dice.choice((None, *SAGAS)),
            )
            if added.new and added.facts:
                told.append(added)
        if after_each is not None:
            await after_each(dice)
        if dice.random() < 0.3:
            known.append((utc_now(), await plain_sagas(graph)))
    return known, dice

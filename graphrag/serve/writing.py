"""Writing verbs; the log records the token that was used."""

import asyncio
from collections.abc import Set

from graphrag.display.lists import RECORD_NAMES
from graphrag.edit.editor import entity_id
from graphrag.errors import InputError
from graphrag.ingest.reports import Added
from graphrag.serve import inputs, outputs
from graphrag.serve.grants import Call
from graphrag.serve.reading import fact_outputs


async def remember(call: Call, asked: inputs.RememberInput) -> outputs.RememberOutput:
    """Store a text that was said or written, or one fact that you know exactly.

    The text is stored. Facts are extracted, dated, and end older facts that they contradict. Give
    reference_time if it was not said just now; with it, or a key, a call is safe to repeat.
    """
    if asked.fact is not None:
        return await _tell(call, asked.fact, asked)
    added = await _added(call, asked)
    learned = await fact_outputs(added.facts, call.graph)
    return outputs.RememberOutput(
        new=added.new,
        episode_id=added.episode.id,
        status=added.episode.status,
        learned=learned,
        changed=await fact_outputs(added.changed, call.graph),
        entities=[entity.name for entity in added.entities],
        notes=[*added.dropped, *added.adjusted],
    )


async def _added(call: Call, asked: inputs.RememberInput) -> Added:
    """Add an episode; one that a stop of the server finds half read is queued instead."""
    given = asked.model_dump(include={"reference_time", "name", "saga", "key", "author"})
    by = {"remembered_by": call.grant.name}

    async def add(*, wait: bool) -> Added:
        return await call.graph.add_episode(
            asked.content, **given, source_description=asked.source, metadata=by, wait=wait
        )

    if not asked.wait:
        return await add(wait=False)
    adding = asyncio.ensure_future(add(wait=True))
    stopping = asyncio.ensure_future(call.stopping.wait())
    try:
        await asyncio.wait({adding, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if not adding.done():
            await asyncio.wait({adding}, timeout=call.last_seconds)
        if adding.done():
            return adding.result()
    finally:
        stopping.cancel()
        adding.cancel()
    await asyncio.wait({adding})
    return await add(wait=False)


async def _tell(
    call: Call, fact: inputs.StatedFact, asked: inputs.RememberInput
) -> outputs.RememberOutput:
    result = await call.graph.add_fact(
        **fact.model_dump(), reference_time=asked.reference_time, source=asked.source or None
    )
    learned = await fact_outputs([result.fact] if result.new else [], call.graph)
    return outputs.RememberOutput(
        new=result.new,
        episode_id=None,
        status="done",
        learned=learned,
        changed=await fact_outputs(result.changed, call.graph),
        entities=[entity.name for entity in result.entities],
        notes=["this waits for review"] if result.fact.pending else [],
    )


async def correct(call: Call, asked: inputs.CorrectInput) -> outputs.CorrectOutput:
    """Correct a wrong fact: change it, end it, or retract it as never true.

    It takes the id of a fact from search or another tool. For news ("she moved") use remember.
    """
    edit, actor = call.graph.edit, call.grant.name
    given = asked.model_dump(exclude={"fact", "action", "reason"}, exclude_none=True)
    if asked.action == "retract":
        _only(given.keys(), set(), asked.action)
        fact = await edit.retract(asked.fact, asked.reason, actor=actor)
    elif asked.action == "end":
        _only(given.keys(), {"invalid_at"}, asked.action)
        fact = await edit.invalidate(asked.fact, asked.invalid_at, reason=asked.reason, actor=actor)
    else:
        unknown = {end for end in ("valid_at", "invalid_at") if given.get(end) == inputs.UNKNOWN}
        given |= dict.fromkeys(unknown)
        fact = await edit.correct(asked.fact, **given, reason=asked.reason, actor=actor)
    events = await call.graph.log.events(fact=fact, limit=1)
    note = (events[-1].note if events else None) or ""
    return outputs.CorrectOutput(fact=(await fact_outputs([fact], call.graph))[0], note=note)


def _only(given: Set[str], allowed: Set[str], action: str) -> None:
    if stray := sorted(given - allowed):
        raise InputError(f"{action} takes no {', '.join(stray)}: action change does")


async def forget(call: Call, asked: inputs.ForgetInput) -> outputs.ForgetOutput:
    """Permanently erase an entity and every text that names it. This cannot be undone.

    Use it only if a person asks for it. First call it without confirm: the result lists what it
    would erase. To retract one wrong fact use correct.
    """
    graph, actor = call.graph, call.grant.name
    index = await graph.handle.session.catalog.group(graph.group_id)
    name = index.entity_name(entity_id(asked.entity, index))
    if asked.confirm is not None and asked.confirm != name:
        raise InputError(
            f"forgetting takes the exact name twice: confirm={name!r}, not {asked.confirm!r}"
        )
    forgotten = await graph.erase.entity(
        asked.entity,
        episodes="keep" if asked.keep_episodes else "erase",
        actor=actor,
        dry_run=asked.confirm is None,
    )
    return outputs.ForgetOutput(
        erased=asked.confirm is not None,
        entity=name,
        records={RECORD_NAMES.get(table, table): n for table, n in forgotten.records.items()},
    )


async def review(call: Call, asked: inputs.ReviewInput) -> outputs.ReviewOutput:
    """List the facts that wait for review because they are uncertain, or confirm or reject one.

    Decide only if a person asked you to; show them the quote.
    """
    edit, actor = call.graph.edit, call.grant.name
    if asked.fact is None:
        waiting = await edit.pending(asked.limit)
        shown = await fact_outputs([item.fact for item in waiting], call.graph)
        return outputs.ReviewOutput(waiting=shown, decided=None)
    if asked.action == "confirm":
        fact = await edit.confirm(asked.fact, actor=actor)
    else:
        fact = await edit.reject(asked.fact, asked.reason, actor=actor)
    return outputs.ReviewOutput(waiting=[], decided=(await fact_outputs([fact], call.graph))[0])

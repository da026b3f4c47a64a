"""Facts as they are told: fitted to the ontology, named, planned and written to one group."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.effects import denied
from graphrag.ingest.fitting import Fitting, Placed, warn_of
from graphrag.ingest.given import End, GivenFact
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.ledger import JudgingRules
from graphrag.ingest.plan import Plan, SkippedRow
from graphrag.ingest.planning import Planning
from graphrag.ingest.reports import WriteResult
from graphrag.model.extraction import Mention
from graphrag.protocols import traced
from graphrag.resolve.mentions import resolve
from graphrag.store.changes import ChangeSet
from graphrag.temporal.moment import utc_now

Key = tuple[str, str, str]
"""Name, type, and the rest of a mention."""


class UndecidedError(Exception):
    """A name adds to an entity of the transaction under way: plan again when it is over."""


@dataclass(slots=True)
class FactWriter:
    """Writes facts to one group by the rules of a graph."""

    ingestion: Ingestion
    group: str
    kind: str
    """Kind of the events."""
    rules: JudgingRules
    summarize: bool = True
    """False: leave the summaries of entities that only gain facts to a later transaction."""
    skip: bool = False
    """True: leave out facts that cannot be added, and note them in the plan."""
    actor: str = ""
    """Who does it; empty for whoever the graph was opened by."""
    violations: list[Placed] = field(default_factory=list)
    """What did not fit the ontology, until somebody is warned of it."""

    @classmethod
    def to(
        cls,
        ingestion: Ingestion,
        group: str,
        kind: str,
        *,
        judge: bool = True,
        once: bool = False,
        summarize: bool = True,
        skip: bool = False,
    ) -> "FactWriter":
        """Return a writer by the rules of a graph."""
        rules = JudgingRules(ingestion.relations, ingestion.review_below, judge, once)
        return cls(ingestion, group, kind, rules, summarize, skip)

    async def write(self, given: Sequence[GivenFact], extra: Sequence[End] = ()) -> Plan:
        """Write facts and entities in one transaction, and return what that changed."""
        plan = Plan(group=self.group, kind=self.kind)

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal plan
            plan = await self.plan(given, index, extra=extra)
            return plan.changes()

        def enter(index: GroupIndex, seq: int) -> None:
            plan.enter(index, seq)

        with traced(self.ingestion.tracer, "ingest", group=self.group) as note:
            await self.ingestion.writer.commit(self.group, build, enter=enter)
            note({"given": len(given), "facts": len(plan.facts)})
        self.violations += plan.violations
        return plan

    def warn(self) -> None:
        """Log what did not fit the ontology in all that was written since the last warning."""
        warn_of(self.group, self.violations)
        self.violations = []

    async def plan(
        self,
        given: Sequence[GivenFact],
        index: GroupIndex,
        *,
        extra: Sequence[End] = (),
        under_way: Plan | None = None,
    ) -> Plan:
        """Work out what some facts change, and entities that are given apart from any fact.

        Args:
            given: The facts, in the order in which they were given.
            index: The group as it is.
            extra: Entities to be known as well.
            under_way: What is being written meanwhile and not in the index yet.

        Raises:
            InputError: naming the fact that cannot be added, unless those are skipped.
            UndecidedError: if the index must know first what is under way.
        """
        fitting = Fitting(index, self.ingestion, under_way)
        facts: dict[int, GivenFact] = {}
        skipped: dict[int, SkippedRow] = {}

        def skip(number: int, error: InputError) -> None:
            if not self.skip:
                raise error
            skipped[number] = SkippedRow.at(given[number].place, error)

        for number, fact in enumerate(given):
            try:
                facts[number] = fitting.fact(fact)
            except InputError as error:
                skip(number, error)
        entities = [fitting.entity(end) for end in extra]
        while True:
            plan = Plan(group=self.group, kind=self.kind, actor=self.actor)
            planning = Planning(plan, index, self.ingestion, utc_now(), under_way)
            ends = [end for fact in facts.values() for end in (fact.subject, fact.object)]
            ids, said = self._identified([*ends, *entities], planning)
            meant = iter(ids)
            pairs = {number: (next(meant), next(meant)) for number in facts}
            loops = [
                number
                for number, (subject, object_) in pairs.items()
                if subject == object_ and not facts[number].loops(self.rules.relations)
            ]
            if not loops:
                break
            for number in loops:  # all is named anew: they may have made entities of nothing else
                fact = facts.pop(number)
                words = f"{fact.place}{fact.words}"
                skip(number, InputError(f"{words}: both ends are the same entity"))
        await planning.enrich(said, planning.now)
        stated = [
            fact.stated(
                self.group,
                planning.named(pairs[number][0], fact.subject.said),
                planning.named(pairs[number][1], fact.object.said),
                now=planning.now,
            )
            for number, fact in facts.items()
        ]
        ledger = await planning.judge(stated, self.rules)
        plan.notes = tuple(denied(stated, ledger))
        plan.repeated = {
            id_: ledger.component.facts[id_]
            for new, id_ in ledger.stands.items()
            if new not in plan.facts
        }
        vectors = [(new.id, fact.vector) for new, fact in zip(stated, facts.values(), strict=True)]
        vectors += [(id_, end.vector) for id_, end in zip(ids, (*ends, *entities), strict=True)]
        known = {id_: vector for id_, vector in vectors if vector is not None}
        await planning.finish(known, lazily=not self.summarize)
        plan.extra = tuple(meant)
        plan.skipped = tuple(row for _, row in sorted(skipped.items()))
        plan.violations = tuple(fitting.violations)
        return plan

    def _identified(
        self, ends: Sequence[End], planning: Planning
    ) -> tuple[list[str], list[tuple[Mention, str]]]:
        """Return the id of the entity that each end means, and each mention once with its id.

        Entities that are new are noted.
        """
        index, under_way = planning.index, planning.under_way
        keys = [_key(end.mention) for end in ends]
        # Mentions compare without attributes: two people of one name with two e-mail addresses are
        # two, so each gets a place of its own.
        mentions: dict[Key, Mention] = {}
        for key, end in zip(keys, ends, strict=True):
            if end.id is None and key not in mentions:
                mentions[key] = replace(end.mention, start=len(mentions))
        beside = {} if under_way is None else under_way.entities
        resolution = resolve(
            mentions.values(),
            index,
            created_at=planning.now,
            identifiers=self.ingestion.ontology.identifiers,
            beside=beside.values(),
        )
        planning.plan.entities = resolution.created
        for id_, entity in beside.items():
            if resolution.created.pop(id_) != entity:
                raise UndecidedError
        id_of = {key: resolution.entity_of[mention] for key, mention in mentions.items()}
        heir, said = index.heirs.of, dict[tuple[Key, str], tuple[Mention, str]]()
        ids = []
        for key, end in zip(keys, ends, strict=True):
            id_ = heir(id_of[key] if end.id is None else end.id)
            said[key, id_] = end.mention, id_
            ids.append(id_)
        return ids, [*said.values()]


async def write_fact(
    ingestion: Ingestion, group: str, given: GivenFact, *, actor: str | None
) -> WriteResult:
    """Write one fact in a transaction of its own, and return what that did."""
    over = given.reference_time
    if given.kind == "was" and over is not None and over > utc_now():
        raise InputError(
            f"kind is 'was': it was over by reference_time {over.isoformat()}, which is still to "
            "come; leave it out, or give the planned end as invalid_at with kind 'state'"
        )
    writer = FactWriter.to(ingestion, group, "add_fact")
    writer.actor = actor or ""
    plan = await writer.write([given])
    writer.warn()
    return WriteResult.by(plan)


def _key(mention: Mention) -> Key:
    """Return what tells a mention from others."""
    more = (mention.aliases, sorted(mention.attributes.items()))
    return mention.name, mention.entity_type, repr(more) if any(more) else ""

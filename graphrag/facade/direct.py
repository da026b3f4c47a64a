"""Tell the graph facts and entities as they are known, without extraction."""

from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import replace

from graphrag.direct.files import Columns, Rows, read_rows
from graphrag.direct.given import given_end, given_fact
from graphrag.direct.seed import Known, seeded
from graphrag.direct.table import given_row
from graphrag.direct.told import ImportReport, Told
from graphrag.facade.opened import Moment, Opened
from graphrag.intake import checked_group
from graphrag.models import DEFAULT_GROUP, JSON, Entity


class Direct(Opened):
    """Writing facts and entities directly.

    Names become entities by the same rules of identity as those of episodes, and facts are judged
    by the same rules of contradiction. A fact without any time has an unknown start, which reads as
    "always so far"; with a ``reference_time`` alone it is known to hold since then.
    """

    async def add_fact(
        self,
        subject: Entity | str,
        relation: str,
        object: Entity | str,
        *,
        valid_at: Moment | None = None,
        invalid_at: Moment | None = None,
        reference_time: Moment | None = None,
        fact: str | None = None,
        subject_type: str | None = None,
        object_type: str | None = None,
        confidence: float = 1.0,
        attributes: Mapping[str, JSON] | None = None,
        source: str | None = None,
        group: str = DEFAULT_GROUP,
    ) -> Told:
        """Tell one fact, in one transaction, and return what that did.

        Args:
            subject: An entity, its id, or a name; a name that nothing bears makes an entity.
            relation: Such as ``works_at``.
            object: As ``subject``.
            valid_at: The first moment at which it holds; None if unknown.
            invalid_at: The first moment at which it no longer holds; None if it still does.
            reference_time: When it was said. Default: now, and then no start is taken from it.
            fact: The sentence that states it; default: subject, relation and object.
            subject_type: Such as ``person``; default: whatever bears the name, or ``thing``.
            object_type: As ``subject_type``.
            confidence: From 0 to 1; below ``review_below`` of the graph it waits for review.
            attributes: Anything else to keep with the fact.
            source: Where it comes from, for people; kept as the attribute ``source``.
            group: The graph inside the store that it belongs to.

        Raises:
            InputError: if anything given cannot be used, or the ontology refuses it.
            PolicyError: if the write policy refused.
            TransactionError: if the database refused; in every case nothing was written.
        """
        from graphrag.direct.write import DirectWriter

        ingestion = self._open()
        given = given_fact(
            given_end(subject, subject_type, what="subject"),
            relation,
            given_end(object, object_type, what="object"),
            valid_at=valid_at,
            invalid_at=invalid_at,
            reference_time=reference_time,
            fact=fact,
            confidence=confidence,
            attributes=attributes,
            source=source,
        )
        return Told.by(
            await DirectWriter.to(ingestion, checked_group(group), "add_fact").tell([given])
        )

    async def add_entity(
        self,
        name: str,
        *,
        entity_type: str | None = None,
        aliases: Sequence[str] = (),
        attributes: Mapping[str, JSON] | None = None,
        group: str = DEFAULT_GROUP,
    ) -> Entity:
        """Make an entity known, or add to the one that the name means, and return it.

        Its summary is composed from its facts, as that of any entity.

        Args:
            name: Its proper name.
            entity_type: Such as ``person``; default: ``thing``.
            aliases: Other names of it.
            attributes: What else is known of it, such as ``email``.
            group: The graph inside the store that it belongs to.

        Raises:
            InputError: if anything given cannot be used, or the ontology refuses it.
            PolicyError: if the write policy refused; in every case nothing was written.
        """
        from graphrag.direct.write import DirectWriter

        ingestion = self._open()
        end = given_end(
            name, entity_type, aliases=tuple(aliases), attributes=attributes, what="name"
        )
        writer = DirectWriter.to(ingestion, checked_group(group), "add_entity")
        plan = await writer.tell([], [end])
        [id_] = plan.extra
        if id_ in plan.entities:
            return plan.entities[id_]
        return (await ingestion.store.get(Entity, [id_]))[id_]

    async def import_facts(
        self,
        rows: Rows,
        *,
        columns: Columns | None = None,
        judge: bool = True,
        batch: int = 1000,
        source: str | None = None,
        on_progress: Callable[[ImportReport], None] | None = None,
        group: str = DEFAULT_GROUP,
    ) -> ImportReport:
        """Tell many facts, one transaction for each batch, thousands a second.

        ``rows`` is a path (``.csv``, ``.tsv``, ``.json``, ``.jsonl``), a data frame, or any rows
        with named columns, taken as a stream: ``subject``, ``relation``, ``object``, and if wanted
        ``valid_at``, ``invalid_at``, ``reference_time``, ``observed`` (whether ``valid_at`` is only
        when it was first seen to hold), ``fact``, ``confidence``, ``source``,
        ``subject_type``, ``object_type``, ``attributes``, ``subject_attributes``,
        ``object_attributes``, ``attributes.NAME``, and precomputed vectors as ``embedding``,
        ``subject_embedding`` and ``object_embedding``. Empty cells are as good as none.
        Or it is a network, a ``.graphml`` file or a graph of networkx: its nodes become entities,
        and its edges facts.

        Facts are told in the order of the rows. Importing the same rows again adds nothing; a fact
        that was retracted meanwhile stays retracted. Summaries of entities follow at the end.

        Args:
            rows: The table.
            columns: What the table calls a column, such as ``{"subject": "Employee"}``. Columns
                that are not named and not known are then left out, and an error otherwise.
            judge: False for a table that is right about every lifetime: they all stand as they are
                given, and nothing closes anything. With True single-valued relations hold one value
                at a time here too; other relations keep all their lifetimes either way.
            batch: Rows of one transaction.
            source: Where the table comes from, for rows that do not say it themselves.
            on_progress: Called after each batch with what was done so far.
            group: The graph inside the store that they belong to.

        Raises:
            InputError: naming the row and the column that cannot be used; nothing of its batch was
                written, the batches before it stay.
            PolicyError: if the write policy refused a batch.
            TransactionError: if the database refused a batch.
        """
        from graphrag.direct.load import load
        from graphrag.direct.network import NetworkRows, is_network
        from graphrag.direct.write import DirectWriter

        ingestion = self._open()
        dimension = ingestion.embedder.dimension
        writer = DirectWriter.to(
            ingestion,
            checked_group(group),
            "import_facts",
            judge=judge,
            once=True,
            summarize=False,
        )
        total, entities = None, 0
        if is_network(rows):
            network = NetworkRows.of(rows, columns)
            ids, entities = await network.tell_nodes(writer, batch)
            placed = network.rows(ids)
        else:
            placed = read_rows(rows, columns)
            total = len(rows) if isinstance(rows, Sized) and not isinstance(rows, str) else None
        report = await load(
            (given_row(row, place, source=source, dimension=dimension) for place, row in placed),
            writer,
            batch=batch,
            total=total,
            on_progress=on_progress,
        )
        return replace(report, entities=report.entities + entities)

    async def seed(
        self,
        known: Known,
        *,
        reference_time: Moment | None = None,
        source: str | None = None,
        group: str = DEFAULT_GROUP,
    ) -> ImportReport:
        """Tell what is known of some entities, as a dictionary; all of it, or nothing.

        ``{"Alice": {"works_at": "Acme", "likes": ["tea", "chess"]}}``; in the place of an object
        there may be a mapping with the columns of ``import_facts``, such as
        ``{"object": "Acme", "valid_at": "2021-03"}``. A list gives several objects; where the
        relation has one value at a time, each needs its own start. Seeding the same again adds
        nothing.

        Args:
            known: Relations and objects by subject.
            reference_time: When this was so; default: facts without a time of their own have an
                unknown start.
            source: Where it comes from, for people.
            group: The graph inside the store that it belongs to.

        Raises:
            InputError: naming the subject and the relation that cannot be used.
            PolicyError: if the write policy refused; in every case nothing was written.
        """
        from graphrag.direct.load import load
        from graphrag.direct.write import DirectWriter

        ingestion = self._open()
        facts = list(
            seeded(
                known,
                ingestion.relations,
                reference_time=reference_time,
                source=source,
                dimension=ingestion.embedder.dimension,
            )
        )
        writer = DirectWriter.to(ingestion, checked_group(group), "seed", once=True)
        return await load(facts, writer, batch=max(1, len(facts)), total=len(facts))

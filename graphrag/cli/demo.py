"""``demo``: load the invented valley into a new graph, ask its questions, and mark the answers."""

import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text
from typer import Option

from graphrag.cli.render import (
    Entries,
    attributes,
    connected_table,
    day,
    fact_entry,
    line,
    on_disk,
    plain,
    results_form,
    tally,
)
from graphrag.cli.terminal import Bar, CommandRun
from graphrag.errors import InputError
from graphrag.settings import shown_url

if TYPE_CHECKING:
    from graphrag.cli.demo_world import TruthQuestion
    from graphrag.graph import GraphRAG
    from graphrag.search.results import Results

_FACTS = 3
_TOP = 10
# What the graph is for: the same question of now and of a moment in the past. All count below.
_SHOWN = ("q02", "q15", "q03", "q16", "q05", "q19", "q11", "q28")


@dataclass(frozen=True, slots=True)
class DemoAnswer:
    """A question, the facts that a search returned, and the rank of the right one."""

    question: "TruthQuestion"
    results: "Results"
    place: int | None
    """Rank of the first fact between the right two entities, from 1; None if not in the first 3."""

    def entries(self) -> Entries:
        """Return the question with the facts and the mark."""
        question = self.question
        when = f"as of {day(question.at)}" if question.at else "now"
        mark = f"found at {self.place}" if self.place else f"not in the first {_FACTS}"
        title = Text.assemble(
            (f"{question.question} ({when})", "bold"),
            (
                f"\nexpected: {' or '.join(question.answers)}, {mark}",
                "green" if self.place else "yellow",
            ),
        )
        if not self.results.facts:
            title.append("\nno facts found")
        # The words of a source are shown once: for the fact that answers, or for the best.
        proven = self.place or 1
        passages = {episode.id: episode for episode in self.results.passages}
        entries = []
        for rank, hit in enumerate(self.results.facts, start=1):
            lead = f"{'✓' if rank == self.place else ' '} {rank}"
            entry = fact_entry(hit.item, passages, lead=lead)
            entries.append(entry if rank == proven else replace(entry, body=""))
        return Entries(title, tuple(entries), lines=2)

    def form(self) -> dict[str, Any]:
        """Return the question and the facts as JSON."""
        return attributes(self.question, "id", "question", "at") | {
            "expected": self.question.answers,
            "place": self.place,
            "facts": results_form(self.results)["facts"],
        }


async def demo(
    session: CommandRun,
    keep: Path | None = Option(
        None,
        metavar="FOLDER",
        help="Keep the graph in this new folder. Default: a temporary one, or --store.",
    ),
) -> None:
    """Load the chronicle of an invented valley, and ask about its present and past."""
    from graphrag.cli.demo_world import chronicle
    from graphrag.ingest.intake import NewEpisode

    episodes = [
        NewEpisode(
            episode.content,
            episode.reference_time,
            episode.name,
            episode.source,
            episode.source_description,
            group=session.group,
            metadata={"chronicle": episode.id},
            saga=episode.saga,
        )
        for episode in chronicle()
    ]
    with _place(session, keep) as place:
        with Bar(session.err, "loading models", len(episodes)) as bar:
            # What the demo shows are the rules; 151 questions to a model would be a surprise.
            async with place.changed("demo", llm_model=None).graph(create=True) as graph:
                if await graph.groups(session.group).list():
                    raise InputError(
                        f"{shown_url(place.settings.store)} has a group {session.group!r} already: "
                        "the demo wants a new folder or a new --group"
                    )
                await graph.add_episodes(episodes, on_progress=bar.episode)
                counts = await graph.stats()
                connected = await graph.audit.hubs(_TOP)
                answers = await _ask(graph)
        size = place.size()
    correct = sum(answer.place is not None for answer in answers)
    by_id = {answer.question.id: answer for answer in answers}
    session.answer(
        {
            "stats": plain(counts),
            "closed": bar.closed,
            **bar.times_form(),
            "bytes": size,
            "questions": len(answers),
            "answered_in_top_3": correct,
            "most_connected": [
                {"name": entity.name, "facts": count} for entity, count in connected
            ],
            "answers": [answer.form() for answer in answers],
        },
        tally(
            "The Veyle Valley, 2021 to 2023",
            {
                "episodes": counts.episodes,
                "entities": counts.entities,
                "facts": counts.facts,
                "  true now": counts.facts_now,
                "  closed by later news": bar.closed,
                **bar.times(),
                "size on disk": on_disk(size),
            },
        ),
        connected_table(connected),
        *(by_id[id_].entries() for id_ in _SHOWN),
        line(
            f"{correct} of all {len(answers)} questions have their answer in the first {_FACTS} "
            "facts (--json shows each)",
            "bold",
        ),
        Text.assemble(("Try next:\n", "bold"), "\n".join(_next(session, keep, answers))),
    )


async def _ask(graph: "GraphRAG") -> list[DemoAnswer]:
    from graphrag.cli.demo_world import truth

    known = truth()
    names = {
        entity.name: {name.casefold() for name in (entity.name, *entity.aliases)}
        for entity in known.entities
    }
    answers = []
    for question in known.questions:
        results = await graph.at(valid_at=question.at).search(
            question.question, limit=_FACTS, scopes=["facts"]
        )
        subjects, objects = names[question.fact[0]], names[question.fact[2]]
        ranks = (
            rank
            for rank, hit in enumerate(results, start=1)
            for subject, object_ in [(hit.item.subject.casefold(), hit.item.object.casefold())]
            if (subject in subjects and object_ in objects)
            or (object_ in subjects and subject in objects)
        )
        answers.append(DemoAnswer(question, results, next(ranks, None)))
    return answers


@contextmanager
def _place(session: CommandRun, keep: Path | None) -> Iterator[CommandRun]:
    """Yield the session with the store that the demo uses; a temporary one is removed."""
    if session.store_given and keep is not None:
        raise InputError("--keep and --store both say where: use one of them")
    if session.store_given:
        yield session
    elif keep is not None:
        yield session.changed("--keep", store=f"surrealkv://{keep}")
    else:
        with tempfile.TemporaryDirectory(prefix="surreal-graphrag-") as folder:
            yield session.changed("demo", store=f"surrealkv://{Path(folder) / 'demo'}")


def _next(session: CommandRun, keep: Path | None, answers: list[DemoAnswer]) -> list[str]:
    given = shown_url(session.settings.store) if session.store_given else None
    store = given or f"surrealkv://{keep or 'demo-store'}"
    where = f"--store {shlex.quote(store)}"
    past = next(answer.question for answer in answers if answer.question.at is not None)
    commands = [
        f"search {shlex.quote(past.question)} --at {past.at:%Y-%m-%d} {where}",
        f"show {shlex.quote(past.fact[0])} --history {where}",
        f"stats {where}",
        f"serve {where}",  # its first line says where the explorer is
    ]
    if keep is None and not session.store_given:
        commands = ["demo --keep demo-store", *commands[:2], commands[-1]]
    return [f"  surreal-graphrag {command}" for command in commands]

"""``demo``: the invented valley loaded into a fresh graph, asked its questions and marked."""

import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from graphrag.cli.forms import plain, results_form
from graphrag.cli.progress import Counted
from graphrag.cli.render import Entries, connected_table, day, fact_entry, line, on_disk, table
from graphrag.cli.terminal import Session
from graphrag.errors import InputError
from graphrag.model.values import Entity
from graphrag.settings import shown_url

if TYPE_CHECKING:
    from graphrag.cli.demo_world import TruthQuestion
    from graphrag.graph import GraphRAG
    from graphrag.model.values import Fact
    from graphrag.search.results import Results

_FACTS = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """A question, the facts that were found, and where the right one stands among them."""

    question: "TruthQuestion"
    results: "Results"
    place: int | None
    """Rank of the first fact between the right two entities, from 1; None if not in the first 3."""

    @property
    def right(self) -> bool:
        """Tell whether one of the first 3 facts is the answer."""
        return self.place is not None


async def ask(graph: "GraphRAG") -> list[Answer]:
    """Ask every question of the chronicle, each as of the moment that it asks about."""
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
        subject, _, object_ = question.fact
        ends = names[subject], names[object_]
        ranks = (rank for rank, hit in enumerate(results, start=1) if _joins(hit.item, *ends))
        answers.append(Answer(question, results, next(ranks, None)))
    return answers


def answer_entries(answer: Answer) -> RenderableType:
    """Return the question with the facts found and the mark."""
    question, results = answer.question, answer.results
    when = f"as of {day(question.at)}" if question.at else "now"
    expected = " or ".join(question.answers)
    mark = f"found at {answer.place}" if answer.right else f"not in the first {_FACTS}"
    title = Text.assemble(
        (f"{question.question} ({when})", "bold"),
        (f"\nexpected: {expected}, {mark}", "green" if answer.right else "yellow"),
    )
    if not results.facts:
        return Text.assemble(title, "\nno facts found")
    # The words of a source are shown once: for the fact that answers, or for the best.
    proven = answer.place or 1
    passages = {episode.id: episode for episode in results.passages}
    entries = []
    for rank, hit in enumerate(results.facts, start=1):
        mark = "✓" if rank == answer.place else " "
        entry = fact_entry(hit.item, passages, lead=f"{mark} {rank}")
        entries.append(entry if rank == proven else replace(entry, body=""))
    return Entries(title, tuple(entries), lines=2)


def answer_form(answer: Answer) -> dict[str, Any]:
    """Return the question and what was found as JSON."""
    question = answer.question
    return {
        "id": question.id,
        "question": question.question,
        "at": plain(question.at),
        "expected": list(question.answers),
        "place": answer.place,
        "facts": results_form(answer.results)["facts"],
    }


def _joins(fact: "Fact", some: set[str], others: set[str]) -> bool:
    one, two = fact.subject.casefold(), fact.object.casefold()
    return (one in some and two in others) or (two in some and one in others)


if TYPE_CHECKING:
    from graphrag.analysis.stats import Stats
    from graphrag.ingest.intake import NewEpisode

_TOP = 10
# What the graph is for: the same question of now and of a moment in the past. All count below.
_SHOWN = ("q02", "q15", "q03", "q16", "q05", "q19", "q11", "q28")


async def demo(
    session: Session,
    keep: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Keep the graph in this new folder. Default: a temporary one, or --store.",
        ),
    ] = None,
) -> None:
    """Add the chronicle of an invented valley and ask what is and what was true."""
    with _place(session, keep) as place:
        episodes = list(_episodes(session.group))
        with Counted(session.err, len(episodes)) as counted:
            # What the demo shows are the rules; 151 questions to a model would be a surprise.
            settings = replace(place.settings, llm_model=None)
            async with replace(place, settings=settings).graph(create=True) as graph:
                if await graph.groups(session.group).list():
                    raise InputError(
                        f"{shown_url(place.settings.store)} has a group {session.group!r} already: "
                        "the demo wants a new folder or a new --group"
                    )
                await graph.add_episodes(episodes, on_progress=counted)
                counts = await graph.stats()
                connected = await graph.audit.hubs(_TOP)
                answers = await ask(graph)
        size = place.size()
    summary = _summary(counted, counts, answers, size)
    if session.json:
        session.show_json(
            summary
            | {
                "most_connected": [
                    {"name": entity.name, "facts": count} for entity, count in connected
                ],
                "answers": [answer_form(answer) for answer in answers],
            }
        )
    else:
        _show(session, summary, connected, answers, keep)


@contextmanager
def _place(session: Session, keep: Path | None) -> Iterator[Session]:
    """Yield the session with the store that the demo uses; a temporary one is removed."""
    if session.store_given and keep is not None:
        raise InputError("--keep and --store both say where: use one of them")
    if session.store_given:
        yield session
    elif keep is not None:
        yield _at(session, keep)
    else:
        with tempfile.TemporaryDirectory(prefix="surreal-graphrag-") as folder:
            yield _at(session, Path(folder) / "demo")


def _at(session: Session, folder: Path) -> Session:
    settings = replace(session.settings, store=f"surrealkv://{folder}")
    return replace(session, settings=settings)


def _episodes(group: str) -> Iterator["NewEpisode"]:
    from graphrag.cli.demo_world import chronicle
    from graphrag.ingest.intake import NewEpisode

    for episode in chronicle():
        yield NewEpisode(
            episode.content,
            episode.reference_time,
            episode.name,
            episode.source,
            episode.source_description,
            group,
            {"chronicle": episode.id},
            episode.saga,
        )


def _summary(
    counted: Counted,
    counts: "Stats",
    answers: list[Answer],
    size: int | None,
) -> dict[str, object]:
    return {
        "stats": plain(counts),
        "closed": counted.closed,
        "seconds": round(counted.seconds, 1),
        "seconds_until_first_episode": round(counted.waited, 1),
        "episodes_per_second": round(counted.rate, 1),
        "bytes": size,
        "questions": len(answers),
        "answered_in_top_3": sum(answer.right for answer in answers),
    }


def _show(
    session: Session,
    summary: dict[str, object],
    connected: list[tuple[Entity, int]],
    answers: list[Answer],
    keep: Path | None,
) -> None:
    counts = summary["stats"]
    assert isinstance(counts, dict)
    size = summary["bytes"]
    rows = [
        ("episodes", f"{counts['episodes']}"),
        ("entities", f"{counts['entities']}"),
        ("facts", f"{counts['facts']}"),
        ("  true now", f"{counts['facts_now']}"),
        ("  closed by later news", f"{summary['closed']}"),
        ("seconds", f"{summary['seconds']}"),
        ("  models and first episode", f"{summary['seconds_until_first_episode']}"),
        ("episodes a second, after it", f"{summary['episodes_per_second']}"),
        ("size on disk", on_disk(size if isinstance(size, int) else None)),
    ]
    shown: list[RenderableType] = [table("The Veyle Valley, 2021 to 2023", "", ">", rows=rows)]
    if connected:
        shown.append(connected_table(connected))
    by_id = {answer.question.id: answer for answer in answers}
    shown.extend(answer_entries(by_id[id_]) for id_ in _SHOWN)
    shown.append(
        line(
            f"{summary['answered_in_top_3']} of all {len(answers)} questions have their answer "
            "in the first 3 facts (--json shows each)",
            "bold",
        )
    )
    commands = "\n".join(_next(session, keep, answers))
    session.show(*shown, Text.assemble(("Try next:\n", "bold"), commands))


def _next(session: Session, keep: Path | None, answers: list[Answer]) -> list[str]:
    given = shown_url(session.settings.store) if session.store_given else None
    store = given or f"surrealkv://{keep or 'demo-store'}"
    where = f"--store {shlex.quote(store)}"
    past = next(answer.question for answer in answers if answer.question.at is not None)
    name = shlex.quote(past.fact[0])
    commands = [
        f"search {shlex.quote(past.question)} --at {past.at:%Y-%m-%d} {where}",
        f"show {name} --history {where}",
        f"stats {where}",
        f"serve {where}",  # its first line says where the explorer is
    ]
    if keep is None and not session.store_given:
        commands = ["demo --keep demo-store", *commands[:2], commands[-1]]
    return [f"  surreal-graphrag {command}" for command in commands]

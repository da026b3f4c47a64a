"""``demo``: three years of an invented valley, told to a fresh graph and asked about."""

import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType
from rich.text import Text

from graphrag.cli.exam import Answer, answer_entries, answer_form, ask
from graphrag.cli.forms import plain
from graphrag.cli.progress import Counted
from graphrag.cli.render import connected_table, line, on_disk, table
from graphrag.cli.session import Session
from graphrag.errors import InputError
from graphrag.models import Entity

if TYPE_CHECKING:
    from graphrag.intake import NewEpisode
    from graphrag.stats import Stats

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
            async with session.open_graph(replace(place.settings, llm_model=None)) as graph:
                if session.group in await graph.groups():
                    raise InputError(
                        f"{place.settings.store} has a group {session.group!r} already: "
                        "the demo wants a new folder or a new --group"
                    )
                await graph.add_episodes(episodes, on_progress=counted)
                counts = await graph.stats(group=session.group)
                connected = await graph.most_connected(_TOP, group=session.group)
                answers = await ask(graph, session.group)
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
    settings = replace(session.settings, store=f"surrealkv://{folder}", user=None, password=None)
    return replace(session, settings=settings)


def _episodes(group: str) -> Iterator["NewEpisode"]:
    from graphrag.demo import chronicle
    from graphrag.intake import NewEpisode

    for told in chronicle():
        yield NewEpisode(
            told.content,
            told.reference_time,
            told.name,
            told.source,
            told.source_description,
            group,
            {"chronicle": told.id},
            told.saga,
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
    store = session.settings.store if session.store_given else f"surrealkv://{keep or 'demo-store'}"
    where = f"--store {shlex.quote(store)}"
    past = next(answer.question for answer in answers if answer.question.at is not None)
    name = shlex.quote(past.fact[0])
    commands = [
        f"search {shlex.quote(past.question)} --at {past.at:%Y-%m-%d} {where}",
        f"show {name} --history {where}",
        f"stats {where}",
    ]
    if keep is None and not session.store_given:
        commands = ["demo --keep demo-store", *commands[:2]]
    return [f"  surreal-graphrag {command}" for command in commands]

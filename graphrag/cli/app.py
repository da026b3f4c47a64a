"""The app: its commands on one graph, and how a command line is run."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, Protocol, runtime_checkable

import typer
from rich.text import Text

from graphrag.cli import (
    contents,
    digests,
    editing,
    entity,
    indexes,
    inspection,
    merging,
    moving,
    operations,
)
from graphrag.cli.add import add
from graphrag.cli.command import as_command
from graphrag.cli.demo import demo
from graphrag.cli.doctor import doctor, init
from graphrag.cli.importing import import_files
from graphrag.cli.questions import answer, ask
from graphrag.cli.search import context, search
from graphrag.cli.serving import serve
from graphrag.cli.terminal import STOPPED, OpenGraph, consoles
from graphrag.display.visible import visible
from graphrag.settings import Settings

if TYPE_CHECKING:
    from graphrag.graph import GraphRAG

# Typer 0.29 carries its own copy of click, earlier ones import it; this name works in both.
_ClickException: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)


EXAMPLES = {
    "demo": "demo --keep ./valley",
    "init": "init --group diary",
    "add": "add notes/ --author 'Ida Moe' --saga diary",
    "search": "search 'where does Alice work?' --at 2022 --limit 3",
    "context": "context 'what does Alice like?' --max-tokens 500",
    "ask": "ask 'Where did Alice work before Globex?'",
    "answer": "answer 'What does Alice do now?'",
    "show": "show 'Alice Johnson' --at 2022-01-01",
    "facts": "facts Alice --history --json",
    "timeline": "timeline Alice --at 2022-01-01",
    "history": "history Alice --json",
    "changes": "changes --since 2023 --until 2024 --axis world",
    "neighbors": "neighbors Alice",
    "path": "path Alice Globex",
    "identity": "identity Alice",
    "contradictions": "contradictions --json",
    "orphans": "orphans",
    "cleanup": "cleanup --apply",
    "review": "review --limit 5",
    "confirm": "confirm FACT --actor ann",
    "reject": "reject FACT --reason 'she only joked'",
    "retract": "retract FACT --reason 'a namesake'",
    "invalidate": "invalidate FACT --end 2024-03-01",
    "correct": "correct FACT --object Initech --valid-at 2024-03-01",
    "revert": "revert 12",
    "forget": "forget 'Alice Johnson' --keep-episodes",
    "candidates": "candidates --limit 5",
    "merge": "merge 'Alice Johnson' 'A. Johnson' --reason 'same phone'",
    "unmerge": "unmerge 12",
    "split": "split Ann 'Ann Lee' --fact ID",
    "log": "log --entity Alice --limit 20",
    "stats": "stats --group diary",
    "sagas": "sagas --json",
    "saga": "saga diary",
    "groups": "groups",
    "queue": "queue --retry --drain",
    "check": "check --all-groups",
    "repair": "repair --json",
    "replay": "replay surrealkv://./new-store --all-groups",
    "copy": "copy surrealkv://./graph-store ws://localhost:8000 --user root",
    "export": "export graph.jsonl.gz --group diary",
    "import": "import staff.csv --column subject=Employee --dry-run",
    "serve": "serve --port 8000 --tokens tokens.toml",
    "doctor": "doctor --json",
    "list entities": "list entities --type person --limit 50",
    "list episodes": "list episodes --limit 10",
    "index build": "index build --keep-rows",
    "index native": "index native --store surrealkv://./graph-store",
    "index check": "index check --json",
    "index embed": "index embed --model intfloat/multilingual-e5-small",
    "communities build": "communities build",
    "communities update": "communities update",
    "communities list": "communities list",
    "communities show": "communities show 'Jazz'",
    "communities draw": "communities draw map.svg",
    "communities over-time": "communities over-time --every year",
    "communities ask": "communities ask 'What is this about?'",
}
"""An example of each command, shown at the end of its help."""


@runtime_checkable
class _Worded(Protocol):
    """An error that says in words what was wrong with the command line."""

    def format_message(self) -> str: ...


def open_default(settings: Settings) -> "GraphRAG":
    """Return the graph that the settings name, with the local models and their language model."""
    # Imported here: the command line answers --help long before numpy is loaded.
    from graphrag.graph import GraphRAG
    from graphrag.llm.client import OpenAILLM
    from graphrag.local.embedder import embedder_named
    from graphrag.session import Models

    return GraphRAG.open(
        settings.store,
        user=settings.user,
        password=settings.password,
        token=settings.store_token,
        namespace=settings.namespace,
        database=settings.database,
        workers=settings.workers,
        models=Models(
            embedder=embedder_named(settings.embedder) if settings.embedder else None,
            llm=None if settings.llm_model is None else OpenAILLM.from_settings(settings),
        ),
    )


def create_app(open_graph: OpenGraph = open_default) -> typer.Typer:
    """Return the command line app.

    Args:
        open_graph: Makes the graph of a command from its settings; pass your own to use another
            embedder or extractor.
    """
    app = typer.Typer(
        name="surreal-graphrag",
        help="A temporal knowledge graph: add what happened, search what is or was true.",
        add_completion=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(_main)
    for command in (
        demo,
        init,
        add,
        search,
        context,
        ask,
        answer,
        entity.show,
        entity.facts,
        inspection.timeline,
        inspection.changes,
        entity.neighbors,
        entity.path,
        entity.identity,
        inspection.contradictions,
        inspection.orphans,
        inspection.cleanup,
        editing.review,
        editing.confirm,
        editing.reject,
        editing.retract,
        editing.invalidate,
        editing.correct,
        editing.revert,
        editing.forget,
        merging.candidates,
        merging.merge,
        merging.unmerge,
        merging.split,
        operations.log,
        contents.stats,
        digests.sagas,
        digests.saga,
        contents.groups,
        operations.queue,
        operations.check,
        operations.repair,
        moving.replay,
        moving.copy,
        moving.export,
        serve,
        doctor,
    ):
        name = command.__name__
        app.command(name, epilog=_example(name))(as_command(command, open_graph))
    listed = typer.Typer(help="Page through what a group holds.")
    for name, listing in (
        ("entities", contents.list_entities),
        ("episodes", contents.list_episodes),
    ):
        listed.command(name, epilog=_example(f"list {name}"))(as_command(listing, open_graph))
    app.add_typer(listed, name="list")
    index = typer.Typer(help="Vectors, and SurrealDB's own indexes of the engine profile.")
    for about_indexes in (indexes.build, indexes.check, indexes.native, indexes.embed):
        name = about_indexes.__name__
        index.command(name, epilog=_example(f"index {name}"))(as_command(about_indexes, open_graph))
    app.add_typer(index, name="index")
    communities = typer.Typer(help="Groups of entities that facts tie together, on several levels.")
    for name, about in (
        ("build", digests.build_communities),
        ("update", digests.update_communities),
        ("list", digests.list_communities),
        ("show", digests.show_community),
        ("draw", digests.draw_communities),
        ("over-time", digests.communities_over_time),
        ("ask", digests.ask_communities),
    ):
        ends = _example(f"communities {name}")
        communities.command(name, epilog=ends)(as_command(about, open_graph))
    app.add_typer(communities, name="communities")
    for name, made in (
        ("history", as_command(inspection.timeline, open_graph)),
        ("import", as_command(import_files, open_graph)),
    ):
        app.command(name, epilog=_example(name))(made)
    return app


def _example(name: str) -> str | None:
    """Return the line that a command's help ends with, None for one without an example."""
    return f"Example: surreal-graphrag {EXAMPLES[name]}" if name in EXAMPLES else None


def _main(
    context: typer.Context,
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True)
    ] = False,
) -> None:
    if show_version:
        typer.echo(f"surreal-graphrag {version('surreal-graphrag')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit


def run(arguments: Sequence[str] | None = None, *, app: typer.Typer | None = None) -> int:
    """Run a command line and return its exit code: 0, 1 (failed), 2 (misused), 130 (stopped).

    Args:
        arguments: Default: those of this process.
        app: Default: the app on the graph that the settings name.
    """
    command = typer.main.get_command(app or create_app())
    try:
        code = command.main(
            arguments if arguments is None else list(arguments),
            prog_name="surreal-graphrag",
            standalone_mode=False,
        )
    except typer.Abort:  # Ctrl-C before or after the command itself, which reports its own
        return STOPPED
    except _ClickException as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "surreal-graphrag"
        message = error.format_message() if isinstance(error, _Worded) else str(error)
        line = f"error: {' '.join(message.split())} (see {path} --help)"
        consoles()[1].print(Text(visible(line)), soft_wrap=True)
        return 2
    return code if isinstance(code, int) else 0

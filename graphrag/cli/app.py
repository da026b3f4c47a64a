"""The app: its commands on one graph, and how a command line is run."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from importlib.metadata import version
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import typer
from rich.text import Text
from typer import Option

from graphrag.cli import contents, doctor, editing, entity, importing, inspection, search, stores
from graphrag.cli.add import add
from graphrag.cli.command import as_command, consoles
from graphrag.cli.demo import demo
from graphrag.cli.terminal import STOPPED, OpenGraph
from graphrag.display.visible import visible
from graphrag.settings import Settings

if TYPE_CHECKING:
    from graphrag.graph import GraphRAG

# Typer 0.29 carries its own copy of click, earlier ones import it; this name works in both.
_ClickException: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)

COMMANDS: Mapping[str, tuple[Callable[..., Coroutine[Any, Any, None]], str]] = MappingProxyType(
    {
        "demo": (demo, "--keep ./valley"),
        "init": (doctor.init, "--group diary"),
        "add": (add, "notes/ --author 'Ida Moe' --saga diary"),
        "search": (search.search, "'where does Alice work?' --at 2022 --limit 3"),
        "context": (search.context, "'what does Alice like?' --max-tokens 500"),
        "ask": (search.ask, "'Where did Alice work before Globex?'"),
        "answer": (search.answer, "'What does Alice do now?'"),
        "show": (entity.show, "'Alice Johnson' --at 2022-01-01"),
        "facts": (entity.facts, "Alice --history --json"),
        "timeline": (entity.timeline, "Alice --at 2022-01-01"),
        "history": (entity.timeline, "Alice --json"),
        "changes": (inspection.changes, "--since 2023 --until 2024 --axis world"),
        "neighbors": (entity.neighbors, "Alice"),
        "path": (entity.path, "Alice Globex"),
        "identity": (entity.identity, "Alice"),
        "contradictions": (inspection.contradictions, "--json"),
        "orphans": (inspection.orphans, ""),
        "cleanup": (inspection.cleanup, "--apply"),
        "review": (editing.review, "--limit 5"),
        "confirm": (editing.confirm, "FACT --actor ann"),
        "reject": (editing.reject, "FACT --reason 'she only joked'"),
        "retract": (editing.retract, "FACT --reason 'a namesake'"),
        "invalidate": (editing.invalidate, "FACT --end 2024-03-01"),
        "correct": (editing.correct, "FACT --object Initech --valid-at 2024-03-01"),
        "revert": (editing.revert, "12"),
        "forget": (inspection.forget, "'Alice Johnson' --keep-episodes"),
        "candidates": (editing.candidates, "--limit 5"),
        "merge": (editing.merge, "'Alice Johnson' 'A. Johnson' --reason 'same phone'"),
        "unmerge": (editing.unmerge, "12"),
        "rename": (editing.rename, "Ann 'Ann Lee' --reason 'full name'"),
        "split": (editing.split, "Ann 'Ann Lee' --fact ID"),
        "log": (inspection.log, "--entity Alice --limit 20"),
        "stats": (inspection.stats, "--group diary"),
        "sagas": (contents.sagas, "--json"),
        "saga": (contents.saga, "diary"),
        "groups": (contents.groups, ""),
        "queue": (doctor.queue, "--retry --drain"),
        "check": (doctor.check, "--all-groups"),
        "repair": (doctor.repair, "--json"),
        "replay": (stores.replay, "surrealkv://./new-store --all-groups"),
        "copy": (stores.copy, "surrealkv://./graph-store ws://localhost:8000 --user root"),
        "export": (stores.export, "graph.jsonl.gz --group diary"),
        "import": (importing.import_files, "staff.csv --column subject=Employee --dry-run"),
        "serve": (doctor.serve, "--port 8000 --tokens tokens.toml"),
        "doctor": (doctor.doctor, "--json"),
        "list entities": (contents.list_entities, "--type person --limit 50"),
        "list episodes": (contents.list_episodes, "--limit 10"),
        "index build": (stores.index_build, "--keep-rows"),
        "index check": (stores.index_check, "--json"),
        "index native": (stores.index_native, "--store surrealkv://./graph-store"),
        "index embed": (stores.index_embed, "--model intfloat/multilingual-e5-small"),
        "communities build": (contents.communities_build, ""),
        "communities update": (contents.communities_update, ""),
        "communities list": (contents.communities_list, ""),
        "communities show": (contents.communities_show, "'Jazz'"),
        "communities draw": (contents.communities_draw, "map.svg"),
        "communities over-time": (contents.communities_over_time, "--every year"),
        "communities ask": (contents.communities_ask, "'What is this about?'"),
    }
)
"""Each command with the arguments of the example that ends its help; two words are in a group."""
_GROUPS = {
    "list": "List the entities or episodes of a group, page by page.",
    "index": "Manage vectors and the indexes of SurrealDB.",
    "communities": "Build and show communities: clusters of entities, on several levels.",
}


def open_default(settings: Settings) -> "GraphRAG":
    """Return the graph that the settings name, with the local models and their language model."""
    # Imported here: the command line answers --help long before numpy is loaded.
    from graphrag.graph import GraphRAG
    from graphrag.llm.client import OpenAILLM
    from graphrag.local.embedder import embedder_named
    from graphrag.session import Models

    return GraphRAG.open(
        settings.store,
        **settings.access,
        workers=settings.workers,
        models=Models(
            embedder=embedder_named(settings.embedder) if settings.embedder else None,
            llm=None if settings.llm_model is None else OpenAILLM.from_settings(settings),
        ),
    )


def create_app(open_graph: OpenGraph = open_default) -> typer.Typer:
    """Return the command line app; ``open_graph`` makes a command's graph from its settings."""
    app = typer.Typer(
        name="surreal-graphrag",
        help="A temporal knowledge graph: add texts and facts, and query any moment in time.",
        add_completion=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(_main)
    groups = {name: typer.Typer(help=about) for name, about in _GROUPS.items()}
    for path, (command, example) in COMMANDS.items():
        group, _, name = path.rpartition(" ")
        ends = f"Example: surreal-graphrag {path} {example}".rstrip()
        place = groups[group] if group else app
        place.command(name, epilog=ends)(as_command(command, open_graph))
    for name, inner in groups.items():
        app.add_typer(inner, name=name)
    return app


def _main(
    context: typer.Context,
    show_version: bool = Option(False, "--version", help="Print the version.", is_eager=True),
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
        message = getattr(error, "format_message", error.__str__)()
        line = f"error: {' '.join(message.split())} (see {path} --help)"
        consoles()[1].print(Text(visible(line)), soft_wrap=True)
        return 2
    return code if isinstance(code, int) else 0

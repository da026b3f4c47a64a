"""The app: its commands on one graph."""

from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag.cli import communities, indexes
from graphrag.cli.add import add
from graphrag.cli.audit import cleanup, contradictions, orphans
from graphrag.cli.command import as_command
from graphrag.cli.copy import copy
from graphrag.cli.demo import demo
from graphrag.cli.exporting import export
from graphrag.cli.facts import facts
from graphrag.cli.forget import forget
from graphrag.cli.groups import groups
from graphrag.cli.health import check, repair
from graphrag.cli.importing import import_files
from graphrag.cli.log import log
from graphrag.cli.queue import queue
from graphrag.cli.replay import replay
from graphrag.cli.sagas import saga, sagas
from graphrag.cli.search import search
from graphrag.cli.session import OpenGraph
from graphrag.cli.show import show
from graphrag.cli.stats import stats
from graphrag.cli.times import changes, timeline
from graphrag.cli.walks import identity, neighbors, path
from graphrag.settings import Settings

if TYPE_CHECKING:
    from graphrag.graph import GraphRAG


def open_default(settings: Settings) -> "GraphRAG":
    """Return the graph that the settings name, with the local models and their language model."""
    # Imported here: the command line answers --help long before numpy is loaded.
    from graphrag.graph import GraphRAG
    from graphrag.llm.client import OpenAILLM

    return GraphRAG.open(
        settings.store,
        user=settings.user,
        password=settings.password,
        namespace=settings.namespace,
        database=settings.database,
        workers=0,  # a command answers and ends: it takes up no work that others queued
        llm=None if settings.llm_model is None else OpenAILLM.from_settings(settings),
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
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(_main)
    for command in (
        demo,
        add,
        search,
        show,
        facts,
        timeline,
        changes,
        neighbors,
        path,
        identity,
        contradictions,
        orphans,
        cleanup,
        log,
        stats,
        sagas,
        saga,
        groups,
        queue,
        check,
        repair,
        forget,
        replay,
        copy,
        export,
    ):
        app.command(command.__name__)(as_command(command, open_graph))
    index = typer.Typer(help="SurrealDB's own indexes, which the engine profile searches.")
    for about_indexes in (indexes.build, indexes.check):
        index.command(about_indexes.__name__)(as_command(about_indexes, open_graph))
    app.add_typer(index, name="index")
    groups_of = typer.Typer(help="Groups of entities that facts tie together, on several levels.")
    for name, about in (
        ("build", communities.build),
        ("update", communities.update),
        ("list", communities.list_communities),
        ("show", communities.show),
        ("draw", communities.draw),
        ("ask", communities.ask),
    ):
        groups_of.command(name)(as_command(about, open_graph))
    app.add_typer(groups_of, name="communities")
    app.command("import")(as_command(import_files, open_graph))
    return app


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

"""Commands for questions: ``search``, ``context``, ``ask`` and ``answer``."""

from typing import Annotated, Any, Literal

import typer
from typer import Argument, Option

from graphrag.cli.command import PANEL, AnyView, MaxTokens, Moments, Question, ScopeChoice
from graphrag.cli.render import Entry, attributes, hits_entries, line, plain, results_form, titled
from graphrag.cli.terminal import CommandRun
from graphrag.display.cards import fact_line
from graphrag.display.visible import visible
from graphrag.errors import UnknownGroupError
from graphrag.model.values import DEFAULT_GROUP

_LIMIT = 5
HitLimit = Annotated[
    int | None,
    typer.Option(help="Hits in each scope. Default: the recipe's, else 5.", min=1, max=1000),
]


async def search(
    session: CommandRun,
    view: AnyView,
    query: Question,
    limit: HitLimit = None,
    scope: list[ScopeChoice] | None = Option(
        None, help="Scope to search. Default: the recipe's, else all."
    ),
    recipe: str | None = Option(None, help="Name of a ranking recipe; an unknown name lists them."),
    center: list[str] | None = Option(
        None, help="Entity from which proximity is measured, by name or id."
    ),
    where: str | None = Option(
        None,
        metavar="FILTER",
        help='Filter, such as "relation == works_at and valid_at < 2022".',
    ),
    saga: str | None = Option(None, help="Only episodes, facts and entities of this saga."),
    within: list[str] | None = Option(None, help="Only items near this entity (name or id)."),
    hops: int = Option(2, help="Maximum distance for --within in facts, 1 to 10."),
    group: list[str] | None = Option(
        None,
        help=f"Group of the store; repeat it to search several as one. Default: "
        f"$SURREAL_GRAPHRAG_GROUP, else {DEFAULT_GROUP}.",
        rich_help_panel=PANEL,
    ),
    explain: bool = Option(False, help="Show each step of the search with its time."),
) -> None:
    """Search the graph as of now or another moment."""
    from graphrag.search.filters import Filter
    from graphrag.search.recipe import SCOPES, recipe_of
    from graphrag.search.request import Request
    from graphrag.search.within import Within

    way = recipe_of(recipe)
    part = Within(within, hops) if within else None
    # Communities are of no saga, and lie in no part.
    all_scopes = SCOPES if saga is None and part is None else SCOPES[:-1]
    asked = [known for known in SCOPES if known in (scope or way.scopes or all_scopes)]
    groups = [*dict.fromkeys(group or (session.group,))]
    several = len(groups) > 1
    how: dict[str, Any] = {
        "limit": limit or way.limit or _LIMIT,
        "scopes": asked,
        "recipe": way,
        "where": None if where is None else Filter.parse(where),
        "saga": saga,
        "within": part,
    }
    Request.of(query, groups[0], **how)  # checked before anything is opened
    async with session.graph("loading models") as graph:
        joined = graph.groups(*groups)
        if several:
            there = {DEFAULT_GROUP, *(known.name for known in await joined.list())}
            for name in groups:
                if name not in there:
                    raise UnknownGroupError(name)
        target = (
            joined.at(valid_at=view.valid_at, known_at=view.known_at, history=view.history)
            if several
            else view.of(graph.group(groups[0], strict=True))
        )
        results = await target.search(query, centers=center or (), explain=explain, **how)
    parts = [
        hits_entries(name.title(), results, several=several)
        for name in SCOPES
        if getattr(results, name)
    ]
    if not results:
        hint = "" if view.history else "; --history also shows what was true at other times"
        noun = "groups" if several else "group"
        parts = [line(f"nothing found in {noun} {', '.join(map(repr, groups))}{hint}")]
    elif "facts" in asked and not results.facts:
        parts.insert(0, line("no facts found"))
    session.answer(
        {"view": plain(view), "group": groups if several else groups[0]} | results_form(results),
        *parts,
        None if results.explanation is None else line(repr(results.explanation)),
    )


async def context(
    session: CommandRun,
    view: AnyView,
    query: Question,
    max_tokens: MaxTokens = 2000,
    limit: HitLimit = None,
    format: Literal["text", "xml", "json"] = Option("text", help="Format of the text."),
) -> None:
    """Print context for a prompt: the best hits with dates and citations.

    Standard output has only this text, so that it can be piped.
    """
    async with session.graph("loading models") as graph:
        results = await view.of(graph).search(query, limit=limit)
    block = results.context(max_tokens, "json" if session.json else format)
    session.out.file.write(visible(str(block)) + "\n")


async def ask(
    session: CommandRun,
    view: Moments,
    question: str = Argument(help="Who, what, when, how long, ...; without a model in English."),
    how: bool = Option(False, help="Show how the question was understood and evaluated."),
) -> None:
    """Answer a question exactly from facts; exit code 1 without an answer."""
    async with session.graph("asking") as graph:
        answer = await view.of(graph).ask(question)
    head = "; ".join(answer.values) or f"no answer: {answer.missing}"
    facts = map(Entry, map(fact_line, (*answer.facts, *answer.bounds)))
    session.answer(
        attributes(answer, "values", "facts", "bounds", "steps", "missing")
        | {"asked": str(answer.query or answer.question)},
        titled(head, facts),
        *(line(step, "dim") for step in answer.how.splitlines() if how),
        failed=not answer,
    )


async def answer(
    session: CommandRun, view: Moments, question: Question, max_tokens: MaxTokens = 2000
) -> None:
    """Answer a question with numbered sources; exit code 1 without an answer."""
    printed = 0
    async with session.graph() as graph:
        async for reply in view.of(graph).stream.answer(question, max_tokens=max_tokens):
            if session.json:
                continue
            if reply.by == "facts" or not reply:
                session.out.print(line(reply.text, "bold"))
            for sentence in reply.sentences[printed:]:
                session.out.print(line(str(sentence)), soft_wrap=True)
            printed = len(reply.sentences)
    if session.json:
        session.show_json(
            attributes(reply, "by", "sentences", "citations", "dropped", "missing")
            | {
                "text": reply.text if reply else "",
                "values": reply.exact.values if reply.exact else [],
            }
        )
    else:
        for dropped in reply.dropped:
            session.note(f"dropped: {dropped.text} ({dropped.problem})")
        for source in reply.citations:
            text = f"[{source.number}] {source.valid_at.date().isoformat()}, {source.name}"
            session.out.print(line(text, "dim"), soft_wrap=True)
    if not reply:
        raise typer.Exit(1)

"""Random graphs with a history, and random searches of them, for both profiles."""

from dataclasses import dataclass, replace

from graphrag.errors import InputError, PolicyError, QueryError
from graphrag.search.fields import Field
from graphrag.search.recipe import RECIPES, SCOPES, Recipe
from graphrag.search.results import Results
from graphrag.search.within import Within
from graphrag.temporal.interval import Viewpoint
from graphrag.temporal.moment import parse_moment, utc_now
from graphrag.view.context import ViewContext
from graphrag.view.view import View

FIRST = ("Alice", "Bob", "Carol", "Dan", "Eve", "Frank", "Gina", "Hal", "Ida", "Jon")
LAST = ("Stone", "Hill", "Marsh", "Wood", "Lake", "Moor", "Field", "Reed")
FIRMS = ("Acme", "Beta", "Globex", "Initech")
TOWNS = ("Paris", "Berlin", "Rome")
THINGS = ("tea", "chess", "old maps", "the sea", "jazz", "long walks")


class Judge:
    """A reranker that counts letters: any order will do, if it is always the same."""

    async def rank(self, query, texts):
        return [(sum(map(ord, text)) % 97) / 97 for text in texts]


def person(dice):
    return f"{dice.choice(FIRST)} {dice.choice(LAST)}"


def sentence(dice):
    who = person(dice)
    match dice.randrange(5):
        case 0:
            return f"{who} works_at {dice.choice(FIRMS)}."
        case 1:
            return f"{who} lives_in {dice.choice(TOWNS)}."
        case 2:
            return f"{who} knows {person(dice)}."
        case 3:
            return f"{who} likes {dice.choice(THINGS)}."
        case _:
            return f"{who} leads {dice.choice(FIRMS)} from 20{dice.randint(10, 20)}-01-01."


def moment(dice):
    return f"20{dice.randint(10, 24)}-{dice.randint(1, 12):02}-{dice.randint(1, 28):02}"


async def tell(graph, dice, episodes, *, group="default"):
    """Fill a group and change its mind; return moments of system time in between."""
    moments = []
    told = []
    for number in range(episodes):
        text = " ".join(sentence(dice) for _ in range(dice.randint(1, 4)))
        if dice.random() < 0.1:
            text = " ".join(sentence(dice) for _ in range(60))  # long: it has passages
        text = dice.choice(("", "", "user: so\n")) + text + dice.choice(("", "", " Why?"))
        told.append(
            await graph.group(group).add_episode(
                text,
                name=f"Note {number}" if dice.random() < 0.3 else "",
                source=dice.choice(("text", "message")),
                saga=dice.choice((None, None, "diary", "letters")),
                reference_time=moment(dice),
            )
        )
        if dice.random() < 0.1:
            moments.append(utc_now())
    for _ in range(episodes // 5):
        await change(graph, dice, told, group)
        if dice.random() < 0.3:
            moments.append(utc_now())
    await graph.group(group).communities.build()
    return moments


async def change(graph, dice, told, group):
    """Do one random thing by hand; what a rule refuses stays undone."""
    facts = [fact for added in told for fact in added.facts]
    fact = dice.choice(facts)
    try:
        match dice.randrange(5):
            case 0:
                await graph.edit.retract(fact.id)
            case 1:
                await graph.edit.invalidate(fact.id, at="2025-01-01")
            case 2:
                await graph.edit.correct(fact.id, text=f"{fact.text} Or {dice.choice(THINGS)}.")
            case 3:
                await graph.log.remove_episode(dice.choice(told).episode.id)
            case _:
                keep, other = person(dice), person(dice)
                await graph.group(group).identity.merge(keep, other)
    except (InputError, PolicyError):
        pass


@dataclass(frozen=True)
class Asked:
    """One search."""

    query: str
    name: str
    recipe: object
    view: Viewpoint
    where: object
    centers: tuple[str, ...]
    within: object = None

    async def of(self, graph, *, group="default"):
        """Return what is found; what cannot be asked finds nothing."""
        try:
            return await View(ViewContext(graph.handle, group, self.view)).search(
                self.query,
                recipe=self.recipe,
                where=self.where,
                centers=self.centers,
                within=self.within,
            )
        except QueryError:
            return Results(self.query)


def question(dice):
    return dice.choice(
        (
            f"where does {person(dice)} work",
            f"who lives in {dice.choice(TOWNS)}",
            f"who knows {dice.choice(FIRST)}",
            f"where did I say that {person(dice)} lives",
            f"{dice.choice(THINGS)} and {dice.choice(FIRMS)}",
            f"what did {person(dice)} like in 20{dice.randint(10, 24)}",
            f"{person(dice)} and {person(dice)}",
        )
    )


ASKED = {**RECIPES, "in context": Recipe(fusion="scores"), "by rank": Recipe(fusion="rrf")}
"""Recipes by name, and the default in either way of fusing."""


def ask(dice, moments, *, names=tuple(ASKED)):
    """Make up a search whose candidates are a small part of the graph."""
    name = dice.choice(names)
    recipe = replace(ASKED[name], pool=dice.choice((8, 15, 30)))
    kept = dice.choice((None, None, None, where(dice)))
    if kept is not None and kept.scopes().isdisjoint(recipe.scopes or SCOPES):
        kept = None
    return Asked(
        question(dice),
        name,
        recipe,
        Viewpoint(
            dice.choice((None, None, None, parse_moment(moment(dice)))),
            dice.choice((None, None, None, *moments[:3])),
            dice.random() < 0.1,
        ),
        kept,
        dice.choice(((), (), (), (dice.choice(FIRMS),))),
    )


def near(dice):
    """Make up a part of the graph to search in."""
    names = [dice.choice((person(dice), dice.choice(FIRMS), dice.choice(FIRST))) for _ in range(2)]
    relations = dice.choice((None, None, ("works_at", "knows")))
    return Within(names[: dice.randint(1, 2)], hops=dice.randint(1, 3), relations=relations)


def where(dice):
    return dice.choice(
        (
            Field.relation == "works_at",
            Field.relation.in_(("knows", "likes")),
            Field.entity_type == "person",
            Field.valid_at >= f"20{dice.randint(10, 20)}",
            ~(Field.relation == "likes"),
        )
    )


def recall(ours, theirs):
    """Return which share of some hits is among others, or equal in score to one that is."""
    if not ours:
        return 1.0
    ids = {hit.item.id for hit in theirs}
    # Of equals any may be the last.
    last = min(hit.score for hit in ours)
    tied = sum(1 for hit in ours if hit.item.id not in ids and hit.score <= last)
    spare = sum(1 for hit in theirs if hit.item.id not in {mine.item.id for mine in ours})
    return (sum(hit.item.id in ids for hit in ours) + min(tied, spare)) / len(ours)

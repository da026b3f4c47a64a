"""A post of a body that is a role of its own: "CEO of Acme", stored as one role or as role and job.

A role may bear the name of its body in any order of words, or be a fact beside that of the job: who
has the role while at the body, and at no other, has the post. Where somebody is at two bodies while
in the role, no fact tells of which it is.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from graphrag.ask.asked import Named, Token
from graphrag.ask.senses import is_light, senses_of, stem_of, stems_of
from graphrag.ask.world import Line, World
from graphrag.names.words import SUBORDINATE

_OF: Final = frozenset({"of", "at", "for", "in", "with"})
_LONGEST: Final = 4
"""Words of a role: "vice head of sales"."""
_LEAD: Final = stem_of("leads")
_LEADERS: Final = senses_of(_LEAD)
_ROLE: Final = senses_of(stem_of("role"))
_BODY: Final = frozenset().union(*(senses_of(stem_of(word)) for word in ("work", "member", "play")))


@dataclass(frozen=True)
class PostWorld(World):
    """A world in which a post that a question names is an entity, with its holders."""

    posts: dict[Named, int] = field(default_factory=dict)

    def rows_of(self, named: Named) -> list[int]:
        """Return the rows of the entities that a name may mean; of a post one below zero."""
        if named.body is None:
            return World.rows_of(self, named)
        return [self.posts.setdefault(named, -len(self.posts) - 1)]

    def lines(self, rows: Iterable[int]) -> list[Line]:
        """Return the facts about some entities, and who held the posts among them."""
        rows = set(rows)
        lines = World.lines(self, (row for row in rows if row >= 0))
        for named, row in self.posts.items():
            if row in rows:
                lines += self._held(named, row)
        return lines

    def name(self, row: int) -> str:
        """Return the name of an entity, or of a post."""
        if row >= 0:
            return World.name(self, row)
        return next(named.name for named, own in self.posts.items() if own == row)

    def kind(self, row: int) -> str:
        """Return the type of an entity; a post has none."""
        return World.kind(self, row) if row >= 0 else ""

    def _held(self, named: Named, post: int) -> Iterator[Line]:
        """Yield who held a post: in the role, and at the body, at one time."""
        assert named.body is not None
        roles = World.rows_of(self, named)
        bodies = set(World.rows_of(self, named.body))
        known = {line.parts: row for row, line in self.derived.items()}
        for role in World.lines(self, roles):
            if not is_role(role.relation) or role.object not in roles:
                continue
            own = World.lines(self, [role.subject])
            jobs = [
                one
                for one in own
                if one.subject == role.subject
                and _is_body(one.relation)
                and one.meets(role.start, role.end)
            ]
            unsure = any(job.object not in bodies for job in jobs)
            for job in jobs:
                if job.object not in bodies:
                    continue
                start, end = max(role.start, job.start), min(role.end, job.end)
                line = Line(0, role.subject, role.relation, post, start, end)
                row = known.get((role, job))
                yield (
                    self.derive(line, (role, job), unsure=unsure)
                    if row is None
                    else line._replace(row=row)
                )
        given = [line.relation for line in World.lines(self, roles) if is_role(line.relation)]
        yield from self._leading(named, bodies, post, given[0]) if given else ()

    def _leading(self, named: Named, bodies: set[int], post: int, relation: str) -> Iterator[Line]:
        """Yield who leads a body by no title that is known, if that is what the post does.

        As holders of the post, by the ``relation`` of the others.
        """
        words = named.name.partition(" of ")[0].casefold().replace("-", " ").split()
        if not words or SUBORDINATE & {*words} or not _LEADERS & senses_of(stem_of(words[-1])):
            return
        for line in World.lines(self, bodies):
            if line.object not in bodies or _LEAD not in stems_of(line.relation):
                continue
            own = World.lines(self, [line.subject])
            titled = (one for one in own if one.subject == line.subject and is_role(one.relation))
            if not any(one.meets(line.start, line.end) for one in titled):
                yield line._replace(relation=relation, object=post)


@lru_cache(maxsize=2_000)
def is_role(relation: str) -> bool:
    """Tell whether a relation gives somebody a role or an office."""
    return any(_ROLE & senses_of(stem) for stem in stems_of(relation))


def _is_body(relation: str) -> bool:
    stems = stems_of(relation)
    if _LEAD in stems:
        return True  # "chairman of the trust", stored as a role and who leads what
    return not is_role(relation) and any(_BODY & senses_of(stem) for stem in stems)


def with_posts(tokens: tuple[Token, ...], world: World) -> tuple[Token, ...]:
    """Return the words of a question with every post of a body as one name: "Acme's CEO"."""
    if not any(is_role(name) or _LEAD in stems_of(name) for name in world.index.relations):
        return tokens
    for at, token in enumerate(tokens):
        if token.named is None:
            continue
        for low, high, role in _roles(tokens, at):
            words = " ".join(one.text for one in tokens[low:high])
            post = _post(words, role, token.named, world)
            if post is None and role is not None and _is_word(words, role, world):
                plain = Token(words, words.casefold())
                return with_posts((*tokens[:low], plain, *tokens[high:]), world)
            if post is not None:
                begin, end = min(low, at), max(high, at + 1)
                if begin and tokens[begin - 1].word == "the" and begin == low:
                    begin -= 1
                text = f"{words} of {token.named.name}"
                rest = with_posts(tokens[end:], world)
                return (*tokens[:begin], Token(text, "E", post), *rest)
    return tokens


def _roles(tokens: tuple[Token, ...], at: int) -> Iterator[tuple[int, int, Named | None]]:
    """Yield where a role of a body may stand: before "of A", or behind "A's"."""
    if at + 2 < len(tokens) and tokens[at + 1].word == "'s":
        yield from _words(tokens, [(at + 2, high) for high in range(at + 6, at + 2, -1)])
    behind = at - 1 if at and tokens[at - 1].word == "the" else at
    if behind > 1 and tokens[behind - 1].word in _OF:
        yield from _words(
            tokens, [(low, behind - 1) for low in range(behind - 1 - _LONGEST, behind - 1)]
        )


def _words(
    tokens: tuple[Token, ...], spans: list[tuple[int, int]]
) -> Iterator[tuple[int, int, Named | None]]:
    for low, high in spans:
        part = tokens[low:high] if 0 <= low < high <= len(tokens) else ()
        if not part or any(token.said for token in part):
            continue
        if len(part) == 1 and part[0].named is not None and part[0].named.body is None:
            yield low, high, part[0].named
        elif not any(token.named for token in part):
            if not (is_light(part[0].word) or is_light(part[-1].word)):
                yield low, high, None


def _post(words: str, role: Named | None, body: Named, world: World) -> Named | None:
    """Return the post of a role at a body; None if no fact is of such a role."""
    index, seen = world.index, world.seen
    names = dict.fromkeys(
        (body.name, *(name for id_ in body.ids for name in index.names.names[id_]))
    )
    for name in names:
        for text in (f"{words} of {name}", f"{words} at {name}", f"{name} {words}"):
            ids = [id_ for id_ in seen.named(text, index) if id_ not in body.ids]
            if ids and _given(Named(text, tuple(ids)), world):
                return Named(text, tuple(ids))
    own = role or Named(words, tuple(seen.named(words, index)))
    if own.ids and not set(own.ids) & set(body.ids) and _given(own, world):
        rows = set(World.rows_of(world, body))
        if any(_is_body(line.relation) and line.object in rows for line in world.lines(rows)):
            return Named(f"{words} of {body.name}", own.ids, body)
    return None


def _is_word(words: str, role: Named, world: World) -> bool:
    """Tell whether an entity is but a title that a text used, of which no fact is."""
    last = stem_of(words.casefold().split()[-1])
    return bool(_LEADERS & senses_of(last)) and not world.lines(World.rows_of(world, role))


def _given(role: Named, world: World) -> bool:
    """Tell whether a fact gives somebody a role."""
    rows = World.rows_of(world, role)
    return any(line.object in rows and is_role(line.relation) for line in world.lines(rows))

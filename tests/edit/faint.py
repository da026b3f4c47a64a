"""An extractor that is unsure of what is marked so: ``?? Alice works_at Acme.``"""

from dataclasses import replace

from tests.conftest import PlainExtractor, open_graph


class Unsure(PlainExtractor):
    """Read plain sentences; those after ``??`` with a confidence of 0.4."""

    async def extract(self, context):
        found = await super().extract(context)
        content = context.episode.content
        claims = (
            replace(claim, confidence=0.4)
            if content[: claim.start].rstrip().endswith("??")
            else claim
            for claim in found.claims
        )
        return replace(found, claims=tuple(claims))


def open_unsure(url="mem://", **options):
    return open_graph(url, extractor=Unsure(), **options)


async def tell(graph, content, when="2024-01-01"):
    return await graph.add_episode(content, reference_time=when)


async def everything(graph, name="Alice"):
    """Return the facts of an entity that reads show, ended and retracted ones too."""
    return await graph.at(history=True).facts(name)


async def only_fact(graph, name="Alice"):
    [fact] = await graph.facts(name)
    return fact


async def whole(graph):
    """Check that log, tables and memory agree, and that no rule is broken."""
    report = await graph.health.check_all()
    assert report.sound, report.findings


async def believed(graph, name="Alice"):
    """Return what holds of an entity at any time, retracted facts left out."""
    return [fact for fact in await everything(graph, name) if fact.retracted_at is None]

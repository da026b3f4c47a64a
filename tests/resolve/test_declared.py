from typing import Annotated

from pydantic import BaseModel

from graphrag import Identifier, Ontology
from tests.conftest import open_graph
from tests.resolve.test_candidates import Names, tell


class Ship(BaseModel):
    """A vessel."""

    hull: Annotated[str | None, Identifier] = None


async def test_a_declared_identifier_is_stronger_than_a_name():
    async with open_graph(extractor=Names(), ontology=Ontology(entities=[Ship])) as graph:
        await tell(graph, "ship: Aurora [hull=X1]")
        renamed = await tell(graph, "ship: Borealis [hull=X1]")
        namesake = await tell(graph, "ship: Aurora [hull=X2]")
        assert not renamed.entities
        assert [entity.name for entity in namesake.entities] == ["Aurora"]
        assert (await graph.health.check_all()).sound  # two ships of one name

"""Communities that a question finds equal come in the order of their ids, however they are read."""

from graphrag import NewEpisode
from tests.conftest import PlainExtractor, open_graph

RINGS = ["Ann Bob Cid", "Eve Fay Gil", "Hal Ida Jon", "Kim Leo May", "Ned Oda Pam"]


class Monotonous:
    """Call every community the same, but those of some members at first."""

    def __init__(self, odd=()):
        self.odd = odd

    async def complete(self, messages, *, answer):
        text = messages[-1].content
        alone = next((name for name in self.odd if f"{name} (" in text), None)
        name = f"{alone} alone" if alone else "A team"
        return answer(name=name, summary="They like each other.")


def opened(path, llm):
    return open_graph(f"surrealkv://{path}", llm=llm, extractor=PlainExtractor(), arbiter=None)


async def ranking(graph, **asked):
    results = await graph.search("Which team likes each other?", scopes=["communities"], **asked)
    return [hit.item.id for hit in results.communities]


async def test_equal_communities_keep_their_order_when_the_tables_are_read(tmp_path):
    llm = Monotonous(odd=["Ann", "Hal"])
    async with opened(tmp_path / "store", llm) as graph:
        for ring in RINGS:
            a, b, c = ring.split()
            text = f"{a} likes {b}. {b} likes {c}. {c} likes {a}."
            await graph.add_episodes([NewEpisode(text, "2024-01-01")])
        built = await graph.communities.build()
        assert len(built) == len(RINGS)
        llm.odd = ()
        for name in ("Hal", "Ann"):  # told anew: their rows are the last in memory
            await graph.add_episode(f"Zoe{name} likes {name}.", reference_time="2024-02-01")
            await graph.communities.update()
        assert {one.name for one in await graph.communities.list()} == {"A team"}
        before = await ranking(graph)
        cut = [await ranking(graph, limit=number) for number in range(1, len(RINGS))]
    async with opened(tmp_path / "store", llm) as graph:
        assert await ranking(graph) == before
        assert [await ranking(graph, limit=number) for number in range(1, len(RINGS))] == cut
    assert before == sorted(before)

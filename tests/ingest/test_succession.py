"""What follows from a succession for the facts that are known."""

from graphrag.extract.rules.extractor import RulesExtractor
from tests.conftest import open_graph


async def test_who_succeeds_without_a_date_leads_from_then_on():
    async with open_graph(extractor=RulesExtractor()) as graph:
        await graph.add_episode("Ida Holm is the CEO of Fjord Ltd.", reference_time="2024-01-10")
        await graph.add_episode(
            "Ola Finn succeeds Ida Holm at the head of Fjord Ltd.", reference_time="2024-05-01"
        )
        assert (await graph.health.check_all()).findings == ()
        facts = await graph.at(history=True).facts(relation="leads")
        ends = {fact.subject: fact.invalid_at and str(fact.invalid_at.date()) for fact in facts}
        assert ends == {"Ida Holm": "2024-05-01", "Ola Finn": None}

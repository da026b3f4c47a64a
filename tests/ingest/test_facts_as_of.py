"""Lifetimes with both ends, imported and asked for: every year gives exactly what held then."""

import json

from tests.benchmarks.yago import run

# In the words of this test; first and last year, the last one included.
LIFETIMES = [
    ("Mira_Holt", "playsFor", "Northport_FC", 3, 5),
    ("Mira_Holt", "playsFor", "Coastland_national_team", 4, 9),  # beside her club
    ("Mira_Holt", "playsFor", "Harbour_United", 6, 6),
    ("Mira_Holt", "playsFor", "Northport_FC", 8, 11),  # and back again
    ("Mira_Holt", "hasWonPrize", "Golden_Boot", 6, 6),
    ("Otto_B._Ruys", "owns", "Mill_No._7", 0, 2),
    ("Otto_B._Ruys", "owns", "Mill_No._8", 2, 20),
    ("Otto_B._Ruys", "isMarriedTo", "Ida_Ruys_(painter)", 5, 12),
]


async def test_every_year_of_every_lifetime_is_answered_exactly(tmp_path):
    lines = ["\t".join(map(str, ("subject", "relation", "object", "t_start", "t_end")))]
    lines += ["\t".join(map(str, row)) for row in LIFETIMES]
    (tmp_path / "intervals.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    questions = [
        {
            "subject": subject,
            "relation": relation,
            "as_of": year,
            "gold": sorted(
                object_
                for one, name, object_, first, last in LIFETIMES
                if (one, name) == (subject, relation) and first <= year <= last
            ),
        }
        for subject, relation in {row[:2] for row in LIFETIMES}
        for year in range(22)
    ]
    (tmp_path / "asof_queries.jsonl").write_text(
        "\n".join(map(json.dumps, questions)), encoding="utf-8"
    )
    for judge in (True, False):
        score = await run(tmp_path, "mem://", judge=judge)
        assert score.facts == len(LIFETIMES)
        assert score.exact == score.questions == 88

"""Tiny made-up data in the formats that the benchmarks read, and their runs with the least work."""

import json
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from graphrag import Models
from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.graph import GraphRAG
from graphrag.testing import HashEmbedder
from tests.benchmarks import ask as time_questions
from tests.benchmarks import (
    chat,
    communities,
    community_flow,
    cutoffs,
    faults,
    identity,
    imports,
    novel,
    parity,
    recorded,
    registers,
    tracing,
    updates,
)
from tests.conftest import PlainExtractor
from tests.extract.replay import stories


def _lines(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _table(path, text):
    path.write_text("".join("\t".join(line.split()) + "\n" for line in text), encoding="utf-8")


def ask(folder, monkeypatch):
    """Write one world of years, one of offices with a correction, and one of events."""
    monkeypatch.setattr(time_questions, "_people", lambda: iter(()))  # of other worlds
    known = {"op": "subjects", "known_at": "1900-06-01"}
    queries = (
        ("yago", "Who created Blue Harbour?", ["Ida Stern"], {"op": "subjects"}),
        ("events", "Which did Ann phone first, Bob or Cid?", ["Bob"], {"op": "first"}),
        ("offices", "Who was mayor of Lund on 3 May 1901?", ["Bob Berg"], {"op": "subjects"}),
        ("offices", "Who was mayor of Lund on 3 May 1900?", ["Ann Arp"], known),
    )
    rows = [
        {"group": group, "category": parse["op"], "text": text, "gold": gold, "parse": parse}
        for group, text, gold, parse in queries
    ]
    _lines(folder / "queries.jsonl", *rows)
    spans = (
        ("Ann Arp", "1899-01-01", None, "1899-01-05", "1901-01-05"),
        ("Ann Arp", "1899-01-01", "1901-01-01", "1901-01-05", None),
        ("Bob Berg", "1901-01-01", None, "1901-01-05", None),
    )
    names = ("subject", "valid_from", "valid_to", "recorded_at", "retracted_at")
    office = {"relation": "holds_office", "object": "mayor of Lund"}
    offices = [dict(zip(names, span, strict=True)) | office for span in spans]
    _lines(folder / "offices.jsonl", *offices)
    _table(
        folder / "intervals.tsv",
        (
            "subject relation object t_start t_end",
            "Ida_Stern created Blue_Harbour 60 60",
            "Ann_Arp isMarriedTo Bob_Berg 70 90",
        ),
    )
    _table(
        folder / "events.tsv",
        (
            "subject relation object date",
            "Ann phoned Bob 2031-01-01",
            "Ann phoned Cid 2031-02-01",
        ),
    )
    return "--data", folder


def chat_(_, monkeypatch):
    """Talk for six turns."""
    monkeypatch.setattr(chat, "OnnxEmbedder", HashEmbedder)
    monkeypatch.setattr(chat.measure, "__defaults__", (6,))
    return "--runs", 1


def communities_(folder, monkeypatch):
    """Write a graph of two triangles; grow small ones."""
    nodes = [[number, f"n{number}", number // 3] for number in range(6)]
    edges = [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5], [2, 3]]
    _lines(folder / "triangles.json", {"nodes": nodes, "edges": edges})
    monkeypatch.setattr(communities, "_INSERTIONS", 100)
    monkeypatch.setattr(communities, "_UPDATES", 3)
    monkeypatch.setattr(communities, "_made", list)
    monkeypatch.setattr(community_flow, "_SLICES", 3)
    return "--data", folder, "--facts", 200


def consolidation(folder, _):
    """Write three statements, one of which takes the place of another."""
    texts = (
        "The chairperson of Blue Party is Ann Arp.",
        "Bob Berg was born in the city of Lund.",
        "The chairperson of Blue Party is Cid Cole.",
    )
    rows = [{"group": "g", "serial": at, "text": text} for at, text in enumerate(texts)]
    _lines(folder / "corpus.jsonl", *rows)
    question = {"group": "g", "category": "one hop", "accept": ["Cid Cole"]}
    question["text"] = "Who is the chairperson of Blue Party?"
    _lines(folder / "queries.jsonl", question)
    return "--data", folder


def dependent(folder, _):
    """Write a world where a badge needs a job, and a job that ends."""
    kinds = {"functional": True, "derived": False, "subject": "person"}
    relations = {
        "works_at": kinds | {"object": "company"},
        "has_badge": kinds | {"object": "badge"},
    }
    folder.mkdir(parents=True)
    (folder / "relations.json").write_text(json.dumps({"office": relations}), encoding="utf-8")
    told = (
        ("2031-01-01", "assert", "works_at", "Acme", "valid_from"),
        ("2031-01-02", "assert", "has_badge", "badge 7", "valid_from"),
        ("2031-03-01", "end", "works_at", "Acme", "at"),
        ("2031-04-01", "delete", "works_at", None, None),
    )
    episodes = []
    for at, (day, kind, relation, object_, when) in enumerate(told):
        op = {"op": kind, "subject": "Ann", "relation": relation}
        op |= {"object": object_, when: day} if object_ else {}
        text = f"Ann, {relation}, {object_}: {kind}."
        episodes.append({"id": f"w/{at}", "group": "w", "time": day, "text": text, "ops": [op]})
    _lines(folder / "corpus.jsonl", *episodes)
    needs = {"pattern": ["?p", "has_badge", "*"], "support": [["?p", "works_at", "*"]]}
    _lines(folder / "rules.jsonl", {"group": "w", "id": "badge", "type": "needs"} | needs)
    query = {"group": "w", "domain": "office", "category": "now", "mode": "at", "subject": "Ann"}
    query |= {"asked_at": "2031-05-01", "as_of": "2031-05-01", "gold": [], "stale": ["badge 7"]}
    _lines(folder / "queries.jsonl", query | {"relation": "has_badge"})
    return "--data", folder


def exchange(*_):
    """Take few facts, of which some are changed."""
    return "--facts", 200


_SCORER = """
import json
from pathlib import Path

def score(folder, predictions):
    lines = Path(folder, "facts.jsonl").read_text(encoding="utf-8").splitlines()
    gold = {(fact["id"], fact["subject"][0]) for fact in map(json.loads, lines)}
    right = len(gold & {(one["id"], one["subject"]) for one in predictions})
    found = {"precision": right / max(1, len(predictions)), "recall": right / len(gold)}
    found |= {"gold": len(gold), "dates_lenient": None, "dates_strict": None}
    return {"all": found | {"trap_hits": 0, "traps": 0}}
"""


def extraction(folder, _):
    """Write two texts, what they state, and how that is scored."""
    texts = ("Ann Arp works at Acme.", "Bob Berg was born in Lund in 1950.")
    documents = [
        {"id": f"d{at:02}", "time": "2024-03-01", "text": text} for at, text in enumerate(texts, 1)
    ]
    _lines(folder / "documents.jsonl", *documents)
    names = (("d01", "Ann Arp"), ("d02", "Bob Berg"))
    facts = [{"id": id_, "kind": "required", "subject": [name]} for id_, name in names]
    _lines(folder / "facts.jsonl", *facts)
    (folder / "score_extraction.py").write_text(_SCORER, encoding="utf-8")
    return "--data", folder


def faults_(_, monkeypatch):
    """Kill two processes of each kind, soon."""
    monkeypatch.setattr(faults, "rounds", partial(faults.rounds, longest=0.05))
    return "--kills", 2


def identity_(folder, monkeypatch):
    """Write two people, one twice, and make few up."""
    people = (("r1", "ann", "arp"), ("r2", "ann", "arpp"), ("r3", "bob", "berg"))
    names = ("id", "given_name", "surname")
    rows = [dict(zip(names, person, strict=True)) for person in people]
    _lines(folder / "people" / "records_a.jsonl", *(row | {"state": "nsw"} for row in rows))
    _lines(folder / "people" / "matches.jsonl", {"a": "r1", "b": "r2"})
    few = [("people", registers.people(20)), ("products", registers.products(20))]
    monkeypatch.setattr(identity, "registers", lambda: few)
    monkeypatch.setattr(identity, "_SIZES", (50,))
    monkeypatch.setattr(identity, "_ASKED", 4)
    monkeypatch.setattr(cutoffs, "OnnxEmbedder", HashEmbedder)
    return "--records", folder


def imports_(_, monkeypatch):
    """Import once."""
    monkeypatch.setattr(imports.measure, "__defaults__", (1,))
    return ()


def novel_(folder, monkeypatch):
    """Write a text of two sentences."""
    monkeypatch.setattr(novel, "OnnxEmbedder", HashEmbedder)
    folder.mkdir(parents=True)
    text = folder / "text.txt"
    text.write_text("Ann Arp lives in Lund. Bob Berg works at Acme.\n", encoding="utf-8")
    return "--text", text, "--runs", 1


def parity_(_, monkeypatch):
    """Compare a few searches of few episodes."""
    monkeypatch.setattr(parity, "_EPISODES", 12)
    monkeypatch.setattr(parity, "_CASES", 4)
    return "--cases", 4


def questions(folder, _):
    """Write a question that asks for a time, and one that speaks of a year."""
    asked = {"text": "When did Ann move to Lund?", "qtype": ["Temp.Ans"]}
    spoken = {"text": "Who led Acme in 1996?", "qtype": ["Explicit"]}
    _lines(folder / "questions.jsonl", asked, spoken, {"text": "Who is Ann?"})
    return "--questions", folder / "questions.jsonl"


def readers(folder, _):
    """Annotate a text of two facts, of which one ended."""
    folder.mkdir(parents=True)
    text = (
        "## 2031-05-01 | news\n[Ann Arp|p1] works at [Acme|o1].\n> p1 works_at o1\n"
        "[She|p1] lived in [Lund|l1] until [2030|d1].\n> p1 lives_in l1 to d1\n"
    )
    (folder / "text.txt").write_text(text, encoding="utf-8")
    return "--data", folder


def tracing_(_, monkeypatch):
    """Call twice."""
    plain = partial(Models, embedder=HashEmbedder(), extractor=PlainExtractor())
    few = tracing._measure
    monkeypatch.setattr(tracing, "PEOPLE", 5)
    monkeypatch.setattr(
        tracing, "_measure", lambda report, title, _, __: few(report, title, plain(), 2)
    )
    return ()


def recorded_(_, monkeypatch):
    """Tell the first story of each kind."""
    monkeypatch.setattr(recorded, "stories", lambda kind: stories(kind)[:1])
    return ()


def updates_(folder, monkeypatch):
    """Write a talk in which somebody moves."""
    texts = (
        ("2024-01-10", "I live in Lund."),
        ("2024-05-10", "I moved to Ghent. I live in Ghent."),
    )
    rows = [
        {"id": f"m{at}", "group": "talk", "speaker": "Ann", "time": day, "text": text}
        for at, (day, text) in enumerate(texts)
    ]
    _lines(folder / "corpus.jsonl", *rows)
    query = {"group": "talk", "text": "Where does Ann live?", "gold_old": ["m0"]}
    _lines(folder / "queries.jsonl", query | {"gold_new": ["m1"]})
    models = Models(embedder=HashEmbedder(), extractor=NeuralExtractor())
    opened = SimpleNamespace(open=partial(GraphRAG.open, models=models))
    monkeypatch.setattr(updates, "GraphRAG", opened)
    return "--conversations", folder


def yago(folder, _):
    """Write three lifetimes."""
    folder.mkdir(parents=True)
    _table(
        folder / "intervals.tsv",
        (
            "subject relation object t_start t_end",
            "Ann_Arp playsFor Lund_FC 960 965",
            "Ann_Arp playsFor Ghent_FC 966 970",
            "Ann_Arp isMarriedTo Bob_Berg 950 980",
        ),
    )
    question = {"subject": "Ann_Arp", "relation": "playsFor", "as_of": 963, "gold": ["Lund_FC"]}
    _lines(folder / "asof_queries.jsonl", question)
    return "--yago", folder


def _plain(*options):
    return lambda *_: options


RUNS = {
    "ask": ask,
    "chat": chat_,
    "communities": communities_,
    "consolidation": consolidation,
    "dependent": dependent,
    "exchange": exchange,
    "extraction": extraction,
    "faults": faults_,
    "identity": identity_,
    "import": imports_,
    "misses": _plain(),
    "novel": novel_,
    "parity": parity_,
    "profiles": _plain("--facts", 300, "--queries", 1),
    "questions": questions,
    "readers": readers,
    "recorded": recorded_,
    "tracing": tracing_,
    "updates": updates_,
    "yago": yago,
}
"""By the benchmark: writes its data into a folder, takes away work, and returns its options."""


def options_of(name: str, folder: Path, monkeypatch) -> tuple[object, ...]:
    """Return the options of the least run of a benchmark, whose data lie in a folder then."""
    return RUNS[name](folder, monkeypatch)

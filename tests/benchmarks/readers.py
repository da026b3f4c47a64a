"""Precision and recall of keyless extraction on annotated texts, by threshold.

``FOLDER`` or a file holds texts as ``training/guide.md`` describes. A claim is right if the text
states a relation between the two that its ends name, each by one of the names that the text marks.
Dates are those of right claims whose start is stated; ends are stated ends that were found.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from graphrag.extract.neural.extractor import SURE, NeuralExtractor
from graphrag.ingest.intake import NewEpisode, prepare
from graphrag.model.extraction import Claim, Mention
from graphrag.names.key import name_key
from graphrag.names.words import COURTESIES
from graphrag.protocols import ExtractionContext, Extractor
from tests.benchmarks.report import Report, Section
from training.annotated import WRITER, Text, texts_of

Pair = frozenset[str]
THRESHOLDS = (0.5, SURE, 0.6, 0.7)


async def measure(report: Report, path: Path) -> None:
    """Read every annotated text by each extractor, and count."""
    files = [path] if path.is_file() else sorted(path.glob("*.txt"))
    if not files:
        report.say(f"readers: no annotated texts in {path}; pass --data training/heldout")
    for file in files:
        texts = texts_of([file])
        rows = [
            {"threshold": sure} | rates(await counts(texts, NeuralExtractor(sure=sure)))
            for sure in THRESHOLDS
        ]
        report.add(Section(f"{file.name}, {len(texts)} annotated texts", rows))


async def counts(texts: Sequence[Text], extractor: Extractor) -> Counter[str]:
    """Return how many claims and facts there are, and how many of them agree."""
    counted: Counter[str] = Counter()
    for text in texts:
        counted += await _counts(text, extractor)
    return counted


def rates(counted: Counter[str]) -> dict[str, float]:
    """Return the shares of 1 that a report shows."""
    shares = {
        "precision": ("right", "claims"),
        "recall": ("found", "facts"),
        "starts right": ("starts right", "starts"),
        "ends found": ("ends found", "ends"),
        "traps hit": ("traps hit", "traps"),
    }
    return {name: counted[a] / max(counted[b], 1) for name, (a, b) in shares.items()}


async def _counts(text: Text, extractor: Extractor) -> Counter[str]:
    prepared = prepare(NewEpisode(text.text, f"{text.written}T12:00:00Z", author=text.author))
    read = await extractor.extract(ExtractionContext(prepared))
    names: dict[str, set[str]] = {}
    for mention in text.mentions:
        names.setdefault(name_key(text.text[mention.start : mention.end]), set()).add(mention.id)
    if text.author:
        names.setdefault(name_key(text.author), set()).add(WRITER)
    stated = [fact for fact in text.facts if not fact.denied]
    pairs = {frozenset((fact.subject, fact.object)): fact for fact in stated}
    traps = {frozenset((fact.subject, fact.object)) for fact in text.facts if fact.denied}
    ending = {
        pair for pair, fact in pairs.items() if "to" in dict(fact.dates) or "was" in fact.flags
    }
    claims = [claim for claim in read.claims if claim.object and claim.kind != "cancelled"]
    ends = [_ends(claim, text, names) for claim in claims]
    right = [any(pair in pairs for pair in both) for both in ends]
    found = {pair for both in ends for pair in both if pair in pairs}
    closed = {
        pair
        for claim, both in zip(claims, ends, strict=True)
        if claim.ends or claim.invalid_at or claim.kind == "was"
        for pair in both
    }
    dated = [
        (claim, pairs[pair])
        for claim, both in zip(claims, ends, strict=True)
        for pair in both
        if pair in pairs and "from" in dict(pairs[pair].dates)
    ]
    hit = {pair for both in ends for pair in both} & (traps - pairs.keys())
    return Counter(
        {
            "claims": len(claims),
            "right": sum(right),
            "facts": len(pairs),
            "found": len(found),
            "starts": len(dated),
            "starts right": sum(claim.valid_at is not None for claim, _ in dated),
            "ends": len(ending),
            "ends found": len(ending & closed),
            "traps": len(traps - pairs.keys()),
            "traps hit": len(hit),
        }
    )


def _ends(claim: Claim, text: Text, names: Mapping[str, set[str]]) -> set[Pair]:
    """Return the pairs of ids that the two ends of a claim may mean."""
    assert claim.object is not None, "claims without an object are not compared"
    subject, object_ = (_ids(end, text, names) for end in (claim.subject, claim.object))
    return {frozenset((left, right)) for left in subject for right in object_}


def _ids(mention: Mention, text: Text, names: Mapping[str, set[str]]) -> set[str]:
    """Return what a mention may mean: what bears its name, and what is marked in its place.

    Of a marked name a mention may leave out titles and words in small letters, and nothing else:
    "Lim" is not "Hae-won Lim".
    """
    keys = map(name_key, (mention.name, *mention.aliases))
    named = {id_ for key in keys for id_ in names.get(key, ())}
    return named | {
        marked.id
        for marked in text.mentions
        if marked.start < mention.end
        and mention.start < marked.end
        and (marked.id.startswith("d") or _same(mention.name, text.text[marked.start : marked.end]))
    }


def _same(name: str, marked: str) -> bool:
    words = marked.replace(",", " ").split()
    missing = [word for word in words if word not in name.split()]
    told = all(word in words for word in name.split())
    return told and all(
        word.islower() or word.casefold().rstrip(".") in COURTESIES for word in missing
    )

"""From which likeness, and from which nearness of meaning, two names are worth a look."""

from collections.abc import Iterator, Mapping

from graphrag.index.name_index import Blocks
from graphrag.local.onnx import OnnxEmbedder
from graphrag.model.extraction import Mention
from graphrag.names.key import name_key
from graphrag.names.likeness import likeness
from tests.resolve.meanings import DIFFERENT, SAME

_LIKENESSES = (0.80, 0.84, 0.88, 0.92, 0.96, 0.98)
_COSINES = (0.75, 0.80, 0.85, 0.88, 0.90, 0.92, 0.95)
_COMPARED = 50
Row = dict[str, str | float]
Pair = frozenset[str]


def by_likeness(
    name: str, mentions: Mapping[str, Mention], gold: frozenset[Pair], sides: Mapping[str, int]
) -> Iterator[Row]:
    """Yield precision and recall of the pairs of records at or above each likeness."""
    blocks, keys = Blocks(), {id_: name_key(one.name) for id_, one in mentions.items()}
    for id_, key in keys.items():
        blocks.file(id_, [key])
    two_lists = len(set(sides.values())) == 2
    scores = {
        frozenset((id_, other)): likeness(key, keys[other])
        for id_, key in keys.items()
        for other in blocks.near(key)[:_COMPARED]
        if id_ < other and not (two_lists and sides[id_] == sides[other])
    }
    for least in _LIKENESSES:
        found = {pair for pair, score in scores.items() if score >= least}
        hits = len(found & gold)
        precision, recall = hits / max(len(found), 1), hits / len(gold)
        yield {
            "names": name,
            "likeness": least,
            "found": len(found),
            "precision": precision,
            "recall": recall,
            "F1": 2 * precision * recall / max(precision + recall, 1e-9),
        }


async def by_meaning() -> list[Row]:
    """Return how many pairs of one thing and of two the local model finds at each cosine."""
    embedder = OnnxEmbedder()
    cosines = {}
    for kind, pairs in (("one thing", SAME), ("two things", DIFFERENT)):
        one, other = [
            await embedder.embed([pair[side] for pair in pairs], purpose="document")
            for side in (0, 1)
        ]
        cosines[kind] = (one * other).sum(axis=1)
    return [
        {
            "cosine": least,
            **{f"found of {kind}": int((found >= least).sum()) for kind, found in cosines.items()},
        }
        for least in _COSINES
    ]

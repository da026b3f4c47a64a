"""``communities``: how good they are where the answer is known, what they cost, and as they grow.

``FOLDER`` holds graphs as JSON, ``{"nodes": [[id, name, class], ...], "edges": [[id, id], ...]}``,
such as football and political books; LFR graphs are made on the spot. The answer and what was found
are compared by normalised mutual information, 1 for the same.
"""

import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import networkx
import numpy as np

from graphrag import GraphRAG, Models
from graphrag.community.build import redrawn
from graphrag.community.detect import (
    DRIFT,
    NOWHERE,
    Labels,
    Nodes,
    Weights,
    detect,
    detect_levels,
    improve,
    strengths,
)
from graphrag.community.draft import Ties
from graphrag.community.stored import CommunityTree
from graphrag.index.group import GroupIndex
from graphrag.model.values import Community
from graphrag.temporal.moment import utc_now
from graphrag.testing import HashEmbedder
from tests.benchmarks import community_flow
from tests.benchmarks.report import Report, Section, p50, p95
from tests.community.modularity import modularity

_INSERTIONS = 1_000
_ENTITY_SHARE = 0.3
_UPDATES = 40
_NEARBY = 0.7
"""Share of the facts of a made-up graph that stay inside one of its groups."""
_GROUP = 60


async def measure(report: Report, folder: Path, sizes: Sequence[int]) -> None:
    """Measure quality, detection, insertions, and building and updating in a store."""
    report.add(_quality(folder))
    report.add(Section("detection", [_detection(size) for size in sizes]))
    report.add(
        Section(
            f"{_INSERTIONS:,} random insertions, each followed by an update",
            [_insertions(size) for size in sizes],
            ("modularity as a share of that of everything detected anew, every 100 insertions",),
        )
    )
    report.add(Section("an update of all levels, without the store", list(map(_redrawn, sizes))))
    for section in community_flow.sections(sizes):
        report.add(section)
    rows = [await _stored(size) for size in sizes]
    notes = ("an update follows one fact told; vectors are made of hashes, so embedding is free",)
    report.add(Section("in a store", rows, notes))


def _quality(folder: Path) -> Section:
    import igraph

    rows = []
    for name, edges, classes in (*_known(folder), *_made()):
        ends = np.array(edges, dtype=np.int32)
        found = detect(ends[:, 0], ends[:, 1])
        again = detect(ends[:, 0], ends[:, 1])
        theirs = igraph.Graph(n=len(classes), edges=edges).community_leiden("modularity")
        compared = (_labels(found, len(classes)).tolist(), theirs.membership)
        ours, plain = (
            igraph.compare_communities(labels, classes, method="nmi") for labels in compared
        )
        levels = detect_levels(ends[:, 0], ends[:, 1], np.ones(len(ends)))
        rows.append(
            {
                "graph": name,
                "nodes": len(classes),
                "edges": len(edges),
                "NMI": ours,
                "igraph, 2 passes": plain,
                "communities": len(found),
                "answer": len(set(classes)),
                "levels": 1 + max((one.level for one in levels), default=0),
                "same again": "yes" if found == again else "no",
            }
        )
    return Section("quality of the coarsest level", rows)


Known = tuple[str, list[tuple[int, int]], list[int]]


def _known(folder: Path) -> Iterable[Known]:
    for path in sorted((*folder.glob("*.json"), *folder.glob("community/*.json"))):
        data = json.loads(path.read_text(encoding="utf-8"))
        rows = {node[0]: row for row, node in enumerate(data["nodes"])}
        kinds: dict[str, int] = {}
        classes = [kinds.setdefault(str(node[2]), len(kinds)) for node in data["nodes"]]
        if len(kinds) > 1:
            yield path.stem, [(rows[edge[0]], rows[edge[1]]) for edge in data["edges"]], classes


def _made() -> Iterable[Known]:
    for mixing in (0.1, 0.3, 0.5):
        graph = networkx.LFR_benchmark_graph(
            1000, 3, 1.5, mixing, average_degree=20, max_degree=50, min_community=20, seed=1
        )
        kinds: dict[int, int] = {}
        classes = [
            kinds.setdefault(min(graph.nodes[node]["community"]), len(kinds)) for node in graph
        ]
        yield f"LFR {mixing}", [edge for edge in graph.edges if edge[0] != edge[1]], classes


def _detection(facts: int) -> dict[str, float]:
    subjects, objects, weights = _grown(facts)
    began = time.process_time()
    detect(subjects, objects, weights=weights)
    flat = time.process_time() - began
    began, started = time.process_time(), time.perf_counter()
    found = detect_levels(subjects, objects, weights)
    return {
        "facts": facts,
        "entities": int(facts * _ENTITY_SHARE),
        "one level, CPU s": flat,
        "all levels, CPU s": time.process_time() - began,
        "seconds": time.perf_counter() - started,
        **{
            f"level {level}": sum(one.level == level for one in found)
            for level in range(1 + max(one.level for one in found))
        },
    }


def _insertions(facts: int) -> dict[str, float]:
    subjects, objects, weights = _grown(facts, _INSERTIONS)
    nodes = int(facts * _ENTITY_SHARE)
    labels = _labels(detect(subjects[:facts], objects[:facts], weights=weights[:facts]), nodes)
    built, shares, times = facts, [], []
    for size in range(facts + 1, facts + _INSERTIONS + 1):
        here = subjects[:size], objects[:size]
        if size - built > DRIFT * size:
            labels, built = _labels(detect(*here, weights=weights[:size]), nodes), size
        else:
            changed = (int(subjects[size - 1]), int(objects[size - 1]))
            began = time.process_time()
            strength = strengths(*here, weights[:size], nodes)
            labels = improve(*here, labels, changed, weights[:size], strength)
            times.append(time.process_time() - began)
        if size % 100 == 0:
            anew = _labels(detect(*here, weights=weights[:size]), nodes)
            best = modularity(*here, anew, weights=weights[:size])
            shares.append(modularity(*here, labels, weights=weights[:size]) / best)
    return {
        "facts": facts,
        "p50 CPU ms": 1e3 * p50(times),
        "p95": 1e3 * p95(times),
        "lowest modularity": min(shares),
        "at the end": shares[-1],
    }


def _redrawn(facts: int) -> dict[str, float]:
    subjects, objects, weights = _grown(facts, _UPDATES)
    nodes = int(facts * _ENTITY_SHARE)
    index = GroupIndex("made up", 1)
    ids = [f"{row:08}" for row in range(nodes)]
    none = np.zeros(nodes, dtype=np.int64)
    vectors = np.ones((nodes, 1), dtype=np.float32)
    index.entities.extend(
        ids, vectors, [""] * nodes, {"type": none, "removed": none, "endings": none}
    )
    found = detect_levels(subjects[:facts], objects[:facts], weights[:facts])
    communities = tuple(
        Community(
            id=str(place),
            group_id=index.group_id,
            created_at=utc_now(),
            name="",
            summary="",
            members=tuple(ids[row] for row in one.members),
            fingerprint="",
            level=one.level,
            parent=None if one.parent is None else str(one.parent),
        )
        for place, one in enumerate(found)
    )
    times, looked = [], []
    for size in range(facts + 1, facts + _UPDATES + 1):
        ties = Ties(np.arange(size), subjects[:size], objects[:size], weights[:size])
        changed = [int(subjects[size - 1]), int(objects[size - 1])]
        began = time.process_time()
        looked.append(len(redrawn(CommunityTree(communities), ties, index, changed).clusters))
        times.append(time.process_time() - began)
    return {
        "facts": facts,
        "communities": len(communities),
        "p50 CPU ms": 1e3 * p50(times),
        "p95": 1e3 * p95(times),
        "communities looked at p50": p50(looked),
    }


async def _stored(facts: int) -> dict[str, float]:
    subjects, objects, _ = _grown(facts, _UPDATES)
    pairs = [
        (f"Person {one}", f"Person {other}") for one, other in zip(subjects, objects, strict=True)
    ]
    rows = [{"subject": one, "relation": "knows", "object": other} for one, other in pairs]
    with TemporaryDirectory(prefix="graphrag-bench-") as folder:
        async with GraphRAG.open(
            f"surrealkv://{folder}/store", models=Models(embedder=HashEmbedder(32))
        ) as graph:
            await graph.load.facts(rows[:facts])
            began = time.process_time()
            built = await graph.communities.build()
            building = time.process_time() - began
            began = time.process_time()
            await graph.communities.build()
            again = time.process_time() - began
            updates, told = [], []
            for one, other in pairs[facts:]:
                await graph.add_fact(one, "likes", other)
                before = time.process_time()
                await graph.communities.update()
                updates.append(time.process_time() - before)
                told.append(len((await graph.log.events())[-1].changes))
    return {
        "facts": facts,
        "communities": len(built),
        "build, CPU s": building,
        "again": again,
        "update p50, CPU ms": 1e3 * p50(updates[1:]),
        "p95": 1e3 * p95(updates[1:]),
        "records written p50": p50(told),
    }


def _grown(facts: int, more: int = 0, seed: int = 7) -> tuple[Nodes, Nodes, Weights]:
    """Make a graph with groups: most facts join two of one, and few entities have many."""
    random = np.random.default_rng(seed)
    nodes = int(facts * _ENTITY_SHARE)
    facts += more
    subjects = (nodes * random.random(facts) ** 2).astype(np.int32)
    groups = max(1, nodes // _GROUP)
    near = subjects % groups + groups * (random.random(facts) ** 2 * _GROUP).astype(np.int32)
    far = (nodes * random.random(facts) ** 2).astype(np.int32)
    objects = np.where(random.random(facts) < _NEARBY, np.minimum(near, nodes - 1), far)
    objects = np.where(objects == subjects, (objects + 1) % nodes, objects).astype(np.int32)
    return subjects, objects, np.where(random.random(facts) < 0.3, 0.8, 1.0)


def _labels(found: Sequence[Sequence[int]], nodes: int) -> Labels:
    labels = np.full(nodes, NOWHERE, dtype=np.int64)
    for number, members in enumerate(found):
        labels[list(members)] = number
    return labels

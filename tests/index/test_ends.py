"""The rows of facts by an end and a relation, held against a look at every fact."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphrag.index.columns import Column
from graphrag.index.group import Adjacency
from graphrag.index.ids import Ids

FACTS = st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 4))
BATCHES = st.lists(st.lists(FACTS, min_size=1, max_size=30), min_size=1, max_size=6)


class Facts:
    """Ids, and columns of the ends and relations of facts."""

    def __init__(self, step):
        self.ids, self.step = Ids(), step
        self.columns = {name: Column(np.int32) for name in ("subject", "relation", "object")}

    def __len__(self):
        return len(self.columns["subject"])

    def __getitem__(self, name):
        return self.columns[name].values

    def tell(self, facts):
        for name, values in zip(self.columns, zip(*facts, strict=True), strict=True):
            self.columns[name].extend(np.array(values, dtype=np.int32))
        self.ids.extend([f"{row * self.step % 1009:04}" for row in range(len(self.ids), len(self))])


@given(batches=BATCHES, step=st.sampled_from([1, 400]))
def test_rows_are_found_however_they_came(batches, step):
    facts, every = Facts(step), []
    ends = Adjacency(facts)
    for batch in batches:
        facts.tell(batch)
        every += batch
        for end in range(5):
            rows = {
                relation: [
                    row
                    for row, (subject, has, object_) in enumerate(every)
                    if has == relation and end in (subject, object_)
                ]
                for relation in range(3)
            }
            assert {relation: ends.at([end], relation).tolist() for relation in rows} == rows
            both = ends.at([end, (end + 1) % 5], 1).tolist()
            assert both == sorted({*rows[1], *ends.at([(end + 1) % 5], 1).tolist()})
            made = {has: sorted(rows[has], key=facts.ids.__getitem__) for has in rows if rows[has]}
            latest = sorted(made, key=lambda has: facts.ids[made[has][-1]], reverse=True)[:2]
            found = ends.latest([end], relations=2, each=3)
            assert [*found.items()] == [(has, made[has][-3:]) for has in latest]

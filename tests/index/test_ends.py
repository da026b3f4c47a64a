"""The rows of facts by an end and a relation, held against a look at every fact."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphrag.index.columns import Column
from graphrag.index.group import Adjacency

FACTS = st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 4))
BATCHES = st.lists(st.lists(FACTS, min_size=1, max_size=30), min_size=1, max_size=6)


class Facts:
    """Columns of the ends and relations of facts."""

    def __init__(self):
        self.columns = {name: Column(np.int32) for name in ("subject", "relation", "object")}

    def __len__(self):
        return len(self.columns["subject"])

    def __getitem__(self, name):
        return self.columns[name].values

    def tell(self, facts):
        for name, values in zip(self.columns, zip(*facts, strict=True), strict=True):
            self.columns[name].extend(np.array(values, dtype=np.int32))


@given(batches=BATCHES)
def test_rows_are_found_however_they_came(batches):
    facts, every = Facts(), []
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
            last = sorted((rows[has][-1], has) for has in rows if rows[has])[::-1][:2]
            assert ends.latest([end], relations=2, each=3) == {
                has: rows[has][-3:] for _, has in last
            }

"""What the tables really hold: every row of every table, as text."""

import numpy as np


async def rows(graph, group=None):
    """Return every row, or those of one group, with their vectors as numbers."""
    store = graph.handle.session.store
    [info] = await store.query("INFO FOR DB;")
    found = []
    for table in sorted(info["tables"]):
        [some] = await store.query(f"SELECT * FROM {table};")
        found += [row for row in some if group is None or group in _groups(row)]
    return found


async def text(graph, group=None):
    """Return all of it as one text, in small letters."""
    return repr(await rows(graph, group)).casefold()


async def tables(graph, group="default"):
    """Return the rows of a group by table and id, with vectors as lists of numbers."""
    found = {}
    for row in await rows(graph, group):
        if isinstance(vector := row.get("embedding"), bytes):
            row["embedding"] = np.frombuffer(vector, "<f4").round(5).tolist()
        found[str(row["id"])] = row
    return found


def _groups(row):
    return (row.get("group_id"), row["id"].id if row["id"].table == "group_info" else None)

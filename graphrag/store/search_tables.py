"""Tables of a group that SurrealDB searches: vectors under DISKANN or HNSW, words under FULLTEXT.

Each group has its own, such as ``relates_to_vector_default``: the nearest rows and the counts of
BM25 are then those of the group, and a group goes with its tables. They are tables and not
databases so that one query joins them with the records, and a user of one database may make them.
"""

import re
from hashlib import blake2b

VECTORS = ("relates_to", "entity", "episode", "passage", "community")
"""Tables whose rows have a vector."""
WORDS = ("relates_to", "entity", "episode", "community")
"""Tables whose rows are found by words."""
NEAREST = ("nearest", "nearest_2")
"""Names of the index of vectors: while one is built, the other serves."""
INDEXES = (*NEAREST, "words")
METHODS = (
    "DISKANN DIMENSION {dimension} DIST COSINE TYPE F32 DEGREE 32 L_BUILD 64",
    "HNSW DIMENSION {dimension} DIST COSINE TYPE F32 EFC 150 M 12",
)
"""Kinds of indexes of vectors, the better one first; an older server has the second only."""
_PLAIN = re.compile(r"(?!x_)[a-z0-9_]{1,40}")
_NAME = re.compile(rf"(?:{'|'.join(VECTORS)})_(?:vector|words)_\w+")
_ANALYZER = "DEFINE ANALYZER IF NOT EXISTS terms TOKENIZERS blank;"


def vector_table(table: str, group: str) -> str:
    """Return the name of the table of the vectors of a group's rows."""
    return f"{table}_vector_{_suffix(group)}"


def word_table(table: str, group: str) -> str:
    """Return the name of the table of the words of a group's rows."""
    return f"{table}_words_{_suffix(group)}"


def tables_of(group: str) -> list[str]:
    """Return the names of all search tables of a group."""
    return [
        *(vector_table(table, group) for table in VECTORS),
        *(word_table(table, group) for table in WORDS),
    ]


def is_search_table(name: str) -> bool:
    """Tell whether a table of the database is a search table of a group."""
    return _NAME.fullmatch(name) is not None


def definitions(group: str, dimension: int, method: str) -> str:
    """Return the SurrealQL that makes the search tables of a group where they are not there."""
    return _ANALYZER + "".join(
        (
            *(_vectors(table, group, dimension, method) for table in VECTORS),
            *(_words(table, group) for table in WORDS),
        )
    )


def nearest_index(table: str, group: str, dimension: int, method: str, name: str) -> str:
    """Return the SurrealQL that begins to build an index of vectors beside who reads and writes.

    ``REBUILD INDEX`` is never used: after deletes it ruins indexes (SurrealDB 3.2.4).
    """
    index = method.format(dimension=int(dimension))
    on = vector_table(table, group)
    return f"DEFINE INDEX {name} ON {on} FIELDS vector {index} CONCURRENTLY;"


def _suffix(group: str) -> str:
    """Return the name of a group where it can end that of a table, else a hash of it."""
    if _PLAIN.fullmatch(group):
        return group
    return f"x_{blake2b(group.encode(), digest_size=10).hexdigest()}"


def _vectors(table: str, group: str, dimension: int, method: str) -> str:
    name, index = vector_table(table, group), method.format(dimension=int(dimension))
    return (
        f"DEFINE TABLE IF NOT EXISTS {name} SCHEMALESS "
        f"COMMENT 'vectors of {table}: vector, and the row that it is of';"
        f"DEFINE INDEX IF NOT EXISTS {NEAREST[0]} ON {name} FIELDS vector {index};"
    )


def _words(table: str, group: str) -> str:
    name = word_table(table, group)
    return (
        f"DEFINE TABLE IF NOT EXISTS {name} SCHEMALESS "
        f"COMMENT 'stems of the words of {table}, and the row that they are of';"
        f"DEFINE INDEX IF NOT EXISTS words ON {name} FIELDS terms FULLTEXT ANALYZER terms BM25;"
    )

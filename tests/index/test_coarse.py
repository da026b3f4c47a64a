"""The coarse pass: what it goes by holds, and what it leaves has the rows of the exact scan."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.coarse import Coarse
from graphrag.index.topk import top
from graphrag.index.vectors import Vectors
from graphrag.store.cache_file import DamagedFileError

DIMENSION = 96
ROWS = 3_000
SEEDS = st.integers(0, 2**32 - 1)


def units(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def texts(random, count, topics=40, inner=12, noise=0.3):
    """Topics in a subspace of their own, and noise outside of it, like vectors of texts."""
    basis = np.linalg.qr(random.standard_normal((DIMENSION, inner)))[0].T
    topic = random.standard_normal((topics, inner))[random.integers(0, topics, count)]
    around = topic + 0.7 * random.standard_normal((count, inner))
    return units(around @ basis + noise * random.standard_normal((count, DIMENSION)))


def isotropic(random, count):
    return units(random.standard_normal((count, DIMENSION)))


def duplicates(random, count):
    return texts(random, max(1, count // 50))[random.integers(0, max(1, count // 50), count)]


def near_ties(random, count):
    shaken = 1e-5 * random.standard_normal((count, DIMENSION))
    return units(duplicates(random, count) + shaken)


def templates(random, count):
    """All of one form, and little that differs."""
    return units(3 * texts(random, 1) + texts(random, count))


def shared(random, count, share=0.7, known=None, unknown=None):
    """Partly in a subspace, where they are unlike; all have one direction outside in common."""
    if known is None:
        known, unknown = np.split(np.linalg.qr(random.standard_normal((DIMENSION, 31)))[0].T, [30])
    topic = units(random.standard_normal((count, len(known)))) @ known
    return units(share * topic + (1 - share**2) ** 0.5 * unknown + 0.03 * isotropic(random, count))


KINDS = [texts, isotropic, duplicates, near_ties, templates, shared]


def held_of(rows, made_from=None):
    """Vectors with coarse codes, along the directions of the first of them."""
    held = Vectors(DIMENSION, worth_codes=0, worth_coarse=1)
    held.extend(rows[:made_from])
    held.prepare()
    if made_from is not None:
        held.extend(rows[made_from:])
    return held


def assert_exact(held, query, k, mask=None, floor=0.0):
    """Compare with the scan of all; return whether the coarse pass was enough."""
    cosines = held.compare(query)
    rows, scores = cosines.top(k, mask, floor)
    expected_rows, expected = top(held.scores(query), k, mask, floor)
    assert scores == pytest.approx(expected, abs=1e-6)
    if (np.diff(expected) < -1e-6).all():
        assert rows.tolist() == expected_rows.tolist()
    assert mask is None or mask[rows].all()
    return cosines._all is None


@settings(max_examples=40)
@given(SEEDS, st.sampled_from(KINDS), st.sampled_from(KINDS))
def test_no_row_is_below_what_its_cosine_asks_for(seed, known, added):
    random = np.random.default_rng(seed)
    coarse, rows = Coarse.of(known(random, 60)), added(random, 60)
    assume(coarse is not None)
    directions = coarse._directions.astype(float)
    rows[0], rows[1:4] = 0, rows[4:7]
    coarse.extend(rows)
    query = random.choice([rows[5], texts(random, 1)[0], isotropic(random, 1)[0]])
    ceiling = coarse.against(query)
    ceilings = ceiling.product(slice(60, None))
    kept, whole = rows.astype(float) @ directions, rows.astype(float)
    exact, inside = whole @ query, kept @ (query.astype(float) @ directions)
    rest = np.sqrt(np.maximum((whole**2).sum(1) - (kept**2).sum(1), 0))
    own = np.sqrt(max(0.0, 1 - ((query @ directions) ** 2).sum()))
    longer = rest > coarse._usual + 1e-5
    for cosine, part, lengths, number, sure in zip(
        exact, inside, own * rest, ceilings, longer, strict=True
    ):
        assumed = max(0.6, cosine + 0.2) * lengths + 1e-6
        if cosine - part <= assumed or sure:
            assert number >= ceiling.least(float(cosine))
        else:
            assert cosine < 0.8  # from here on nothing is assumed


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_the_best_are_those_of_the_exact_scan(kind, seed):
    random = np.random.default_rng(seed)
    rows = kind(random, ROWS)
    held, enough = held_of(rows), []
    some = random.random(ROWS)
    for place in random.integers(0, ROWS, 10):
        for query in (rows[place], units(rows[place : place + 1] + 0.02)[0]):
            enough.append(assert_exact(held, query, 3))
            enough.append(assert_exact(held, query, 10, some < 0.5))
            assert_exact(held, query, 10, some < 0.03)
            assert_exact(held, query, 3, floor=None)
            assert_exact(held, query, 3, floor=-1.0)
            assert_exact(held, query, 3, floor=0.5)
            assert_exact(held, query, ROWS)
            assert_exact(held, query, 5, np.zeros(ROWS, dtype=bool))
    if kind is texts:
        assert np.mean(enough) > 0.9  # or this would have tested the pass over all bytes


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_are_nothing_like_the_first_ones_are_found(kind, seed):
    random = np.random.default_rng(seed)
    rows = np.concatenate([texts(random, ROWS), kind(random, ROWS // 10)])
    held, enough = held_of(rows, made_from=ROWS), []
    for place in (*random.integers(0, ROWS, 10), *random.integers(ROWS, len(rows), 20)):
        enough.append(assert_exact(held, rows[place], 3))
        assert_exact(held, rows[place], 10)
        assert_exact(held, units(rows[place : place + 1] + 0.05)[0], 10)
    # All bytes find everything: what is tested is the rest, which isotropic rows are too far for.
    assert np.mean(enough) > (0.15 if kind in (texts, isotropic) else 0.7)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_masked_is_not_found_where_the_best_are_hardly_better_than_nothing(seed):
    random = np.random.default_rng(seed)
    flat = np.zeros((ROWS, DIMENSION))
    flat[:, 1:9] = random.standard_normal((ROWS, 8))
    flat = units(flat)
    flat[:, 0] = -1
    flat[::75, 0] = random.uniform(0.010, 0.013, ROWS // 75)
    flat[5::60] = np.eye(1, DIMENSION)
    mask = np.ones(ROWS, dtype=bool)
    mask[5::60] = False
    assert_exact(held_of(units(flat)), np.eye(1, DIMENSION)[0], 1, mask)


def test_a_row_that_is_replaced_or_blanked_is_found_as_what_it_is():
    random = np.random.default_rng(1)
    rows = texts(random, ROWS)
    held = held_of(rows)
    other = isotropic(random, 1)[0]
    held.replace(7, other)
    held.blank(8)
    assert held.compare(other).top(1, None, 0.5)[0].tolist() == [7]
    for query in (other, rows[7], rows[8]):
        assert_exact(held, query, 10)
        assert 8 not in held.compare(query).top(10, None, 0.0)[0]


def test_a_copy_is_searched_alike_and_changes_alone():
    random = np.random.default_rng(2)
    rows = texts(random, ROWS)
    held = held_of(rows)
    other = held.share()
    other.replace(3, -rows[3])
    assert held.compare(rows[3]).top(1)[0].tolist() == [3]
    assert other.compare(-rows[3]).top(1)[0].tolist() == [3]
    assert_exact(other, rows[4], 10)
    assert other.nbytes < held.nbytes / 2
    held.extend(rows[:5])
    assert (len(other), len(held)) == (ROWS, ROWS + 5)
    assert_exact(other, rows[5], 10)
    assert_exact(held, rows[5], 10)


@pytest.mark.parametrize("among", [20, 200, ROWS])
def test_estimates_are_wrong_by_no_more_than_they_say(among):
    random = np.random.default_rng(3)
    held = held_of(texts(random, ROWS))
    [query] = texts(random, 1)
    asked = random.permutation(ROWS)[:among]
    rough, wrong = held.compare(query).estimates(asked)
    assert (np.abs(rough - held.scores(query)[asked]) <= wrong).all()


def saved(held, path):
    out = ArrayWriter()
    held.save(out, "some")
    out.write(path, {}, lambda: True)
    return ArrayReader(path)


def test_saved_loaded_and_grown_the_answers_are_the_same(tmp_path):
    random = np.random.default_rng(4)
    rows, more = texts(random, ROWS), isotropic(random, 200)
    held = held_of(rows)
    arrays = saved(held, tmp_path / "file")
    assert "some.coarse.directions" in arrays
    loaded = Vectors(DIMENSION, worth_codes=0, worth_coarse=1)
    loaded.load(arrays, "some", ROWS)
    assert 0.9 * held.nbytes < loaded.nbytes <= held.nbytes
    for vectors in (held, loaded):
        vectors.extend(more)
        vectors.reserve(2 * ROWS)
        vectors.replace(5, more[0])
        vectors.extend(rows[:10])
    for query in (*rows[:10], *more[:5]):
        one, other = (vectors.compare(query).top(10, None, 0.0) for vectors in (held, loaded))
        assert all(map(np.array_equal, one, other))
        assert_exact(loaded, query, 10)


def test_a_file_of_fewer_rows_has_none_and_they_are_made_when_they_pay(tmp_path):
    random = np.random.default_rng(5)
    held = Vectors(DIMENSION, worth_codes=0, worth_coarse=ROWS + 1)
    held.extend(texts(random, ROWS))
    arrays = saved(held, tmp_path / "file")
    assert "some.codes" in arrays and "some.coarse" not in arrays
    loaded = Vectors(DIMENSION, worth_codes=0, worth_coarse=1)
    loaded.load(arrays, "some", ROWS)
    before = loaded.nbytes
    assert assert_exact(loaded, held.values[9], 3)
    assert loaded.nbytes > before


def test_vectors_that_lie_everywhere_are_compared_as_before_until_most_are_others(monkeypatch):
    random, tried, make = np.random.default_rng(7), [], Coarse.of
    monkeypatch.setattr(Coarse, "of", lambda units: tried.append(len(units)) or make(units))
    held = held_of(isotropic(random, ROWS))
    before = held.nbytes
    assert not assert_exact(held, held.values[3], 3)
    held.extend(texts(random, ROWS - 1))
    assert not assert_exact(held, held.values[3], 3)
    assert held.nbytes < 2.1 * before
    held.extend(texts(random, ROWS + 1))
    assert assert_exact(held, held.values[ROWS + 3], 3)
    assert held.nbytes > 3.1 * before
    assert tried == [ROWS, 3 * ROWS]


def test_directions_that_are_no_numbers_are_refused(tmp_path):
    held = held_of(texts(np.random.default_rng(6), ROWS))
    held._coarse._directions[3, 1] = np.nan
    arrays = saved(held, tmp_path / "file")
    with pytest.raises(DamagedFileError, match=r"some\.coarse has what is no number"):
        Vectors(DIMENSION).load(arrays, "some", ROWS)

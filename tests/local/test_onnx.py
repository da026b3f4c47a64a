"""The default model: the same vector for a text wherever it stands, and close to that of torch."""

import asyncio
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag import InputError, MissingExtraError, OnnxEmbedder, SentenceTransformerEmbedder
from graphrag.extract.neural import extractor
from graphrag.local import embedder, onnx
from graphrag.local.embedder import embedder_named

TEXTS = (
    "Alice works at Acme in Oslo.",
    "Alice is employed by Acme.",
    "The recipe wants two eggs and a long rest in a cold place before it is baked.",
    "Ünïcode, 東京 and CAPITALS!",
)


@pytest.fixture(scope="module")
def model():
    return OnnxEmbedder()


async def test_vectors_have_length_one_and_say_what_is_alike(model):
    rows = await model.embed(TEXTS, purpose="document")
    assert rows.shape == (4, model.dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert rows[0] @ rows[1] > 0.7 > 0.3 > rows[0] @ rows[2]


async def test_a_text_has_the_same_vector_alone_and_among_others(model):
    together = await model.embed(TEXTS, purpose="document")
    for text, row in zip(TEXTS, together, strict=True):
        [alone] = await model.embed([text], purpose="query")
        assert np.allclose(alone, row, atol=1e-6)


@given(st.lists(st.integers(1, 600), min_size=1), st.integers(1, 64))
def test_batches_hold_every_text_once_and_little_padding(lengths, most):
    batches = list(onnx._batches(lengths, most))
    assert sorted(row for rows in batches for row in rows) == list(range(len(lengths)))
    for rows in batches:
        size = len(rows) * max(lengths[row] for row in rows)
        assert len(rows) <= most and (len(rows) == 1 or size <= onnx._TOKENS)


async def test_no_text_is_too_long(model):
    rows = await model.embed(["word " * 5000, "word " * 300], purpose="document")
    assert np.allclose(rows[0], rows[1], atol=1e-6)  # both are cut after 256 tokens


async def test_no_texts_give_no_vectors(model):
    assert (await model.embed([], purpose="document")).shape == (0, 384)


async def test_it_is_the_same_model_as_in_torch(model):
    pytest.importorskip("sentence_transformers")
    full = await SentenceTransformerEmbedder().embed(TEXTS, purpose="document")
    small = await model.embed(TEXTS, purpose="document")
    assert np.einsum("ij,ij->i", full, small).min() > 0.99


async def test_prefixes_and_pooling_are_used():
    file = onnx.packaged()
    prefixed = OnnxEmbedder(query_prefix="query: ")
    [asked] = await prefixed.embed(["Oslo"], purpose="query")
    [plain] = await OnnxEmbedder().embed(["query: Oslo"], purpose="document")
    assert np.allclose(asked, plain, atol=1e-6)
    assert file is not None
    [first] = await OnnxEmbedder(pooling="first").embed(["Oslo"], purpose="document")
    assert first @ plain < 0.99


async def test_what_cannot_be_loaded_is_named(tmp_path):
    lost = OnnxEmbedder(tmp_path / "model.onnx")
    with pytest.raises(InputError, match=r"model\.onnx.* cannot be loaded"):
        await lost.embed(["x"], purpose="query")
    with pytest.raises(InputError, match="'mean' or 'first'"):
        OnnxEmbedder(pooling="last")


def test_the_default_is_whatever_is_installed(monkeypatch):
    assert isinstance(embedder_named(), OnnxEmbedder)
    assert isinstance(embedder_named("all-MiniLM-L6-v2"), OnnxEmbedder)
    assert isinstance(embedder_named("elsewhere/e5"), SentenceTransformerEmbedder)
    monkeypatch.setattr(embedder, "packaged", lambda: None)
    assert isinstance(embedder_named(), SentenceTransformerEmbedder)
    monkeypatch.setattr(onnx, "_installed", lambda name: False)
    with pytest.raises(MissingExtraError, match=r"\[local\]"):
        asyncio.run(OnnxEmbedder().embed(["x"], purpose="query"))


STATE = [
    -0.12,
    0.06,
    -0.21,
    0.21,
    0.44,
    1.09,
    -0.1,
    0.3,
    0.16,
    0.27,
    -0.67,
    0.2,
    -0.13,
    0.35,
    -0.42,
    0.21,
    -0.82,
    -0.11,
    -0.34,
    -0.43,
    -0.11,
    0.25,
    0.08,
    -0.16,
]


def test_states_do_not_overflow_where_the_processor_adds_products_in_sixteen_bits():
    reader = Path(extractor.__file__).with_name("encoder.onnx")
    cut = onnx.word_pieces().encode(
        "Ann joined Globex in Berlin as head of research in March 2021."
    )
    given = {"input_ids": np.array([cut.ids]), "attention_mask": np.array([cut.attention_mask])}
    [states] = onnx.session_of(reader).run(None, given)
    # Of the word "in" by these weights multiplied out, which any processor is within 0.1 of. With
    # the first weights, one without VNNI gave this word a state that was 0.3 off.
    found = np.asarray(states).reshape(len(cut.ids), -1)[5, ::16]
    assert np.allclose(found, STATE, atol=0.15)

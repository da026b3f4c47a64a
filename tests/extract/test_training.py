"""What trains the network reads annotated texts, and computes what the library computes."""

import random
import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed: extra sentence-transformers")
pytest.importorskip("safetensors")
pytest.importorskip("onnx", reason="onnx is not installed: extra dev")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: extra local")

import torch

from graphrag.extract.neural.annotation import DATE, FLAGS, ROLES, Link, Reading, Span
from graphrag.extract.neural.transformer import Network, network
from training.annotated import RELATIONS, AnnotationError, main, texts_of
from training.batch import Batch
from training.distil import Distilling, Teachers
from training.encoder import Encoder
from training.export import nearness, write_encoder, write_heads
from training.held import Score, network_of, score
from training.learning import Plan
from training.model import Reader, Spans
from training.mpnet import Mpnet
from training.prepare import Prepared, plain_texts
from training.shipped import shipped
from training.train import Training, load, save
from training.windows import window_of

ROOT = Path(__file__).parents[2]
NOTES = """\
## 2020-05-04 | minutes
[Ada Quill|p1] has run the [[Corran|l1] pottery|o1] since [2008|d1] [sic]. ¶
> p1 leads o1 from d1
> o1 located_in l1
[She|p1] denied that [it|o1] is for sale to [Tor Glaze|p2], once [its|o1] [potter|r1]. ¶¶
> !p2 owns o1
> p2 has_role r1 was about

## 2021-02-01 | diary | author=Ines Vale
[I|p0] moved from [Lodz|l1] to [Turku|l2] in [May|d1].
> p0 lives_in l1 to d1
> p0 lives_in l2 from d1
"""


@pytest.fixture
def notes(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text(NOTES, "utf-8")
    return path


@pytest.fixture
def windows(notes):
    return [window_of(text, network().pieces) for text in texts_of([notes])]


@pytest.fixture
def model():
    torch.manual_seed(0)
    random.seed(0)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # more only wait for each other where tests run side by side
    yield Reader(Encoder(layers=1), len(RELATIONS))
    torch.set_num_threads(threads)


def test_marks_are_taken_from_the_text_and_other_brackets_stay(notes):
    text, diary = texts_of([notes])

    assert text.text == (
        "Ada Quill has run the Corran pottery since 2008 [sic].\n"
        "She denied that it is for sale to Tor Glaze, once its potter.\n\n"
    )
    marked = [(one.id, text.text[one.start : one.end]) for one in text.mentions]
    assert marked[:4] == [
        ("p1", "Ada Quill"),
        ("l1", "Corran"),
        ("o1", "Corran pottery"),
        ("d1", "2008"),
    ]
    assert (text.author, diary.author, diary.genre) == (None, "Ines Vale", "diary")


def test_facts_have_their_line_dates_flags_and_denials(notes):
    text, diary = texts_of([notes])

    leads, located, owns, role = text.facts
    assert (leads.subject, leads.relation, leads.object) == ("p1", "leads", "o1")
    assert leads.dates == (("from", "d1"),)
    assert text.text[leads.start : leads.end] == text.text.split("\n")[0]
    assert (located.denied, owns.denied) == (False, True)
    assert role.flags == {"was", "about"}
    assert [fact.dates for fact in diary.facts] == [(("to", "d1"),), (("from", "d1"),)]


@pytest.mark.parametrize(
    ("right", "wrong", "mistake"),
    [
        ("located_in l1", "is_in l1", "notes.txt:4: unknown relation 'is_in'"),
        ("o1 located_in l1", "o1 located_in l7", "notes.txt:4: 'l7' is not marked"),
        ("from d1\n> o1", "from d9\n> o1", "notes.txt:3: 'd9' is not marked"),
        ("was about", "was vague", "notes.txt:7: what is 'vague'"),
        ("> !p2 owns o1", "> !p2 owns", "notes.txt:6: a fact needs"),
        ("[it|o1]", "[it|o1", "notes.txt:5: a mark is left"),
        ("2020-05-04", "4 May 2020", "notes.txt:1: '4 May 2020' is no date"),
    ],
)
def test_a_mistake_is_named_with_its_file_and_line(notes, right, wrong, mistake):
    notes.write_text(NOTES.replace(right, wrong), "utf-8")

    with pytest.raises(AnnotationError, match=re.escape(mistake)):
        texts_of([notes])


def test_the_command_names_mistakes_and_counts(notes, capsys):
    assert main([str(notes)]) == 0
    assert "2 texts, 31 words, 5 facts, 1 traps\nlives_in 2, " in capsys.readouterr().out

    notes.write_text(NOTES + "> p0 flies l1\n", "utf-8")
    assert main([str(notes)]) == 1
    assert capsys.readouterr().out.startswith(f"{notes}:13: unknown relation 'flies'\n")


def test_the_guide_and_the_network_know_the_same_relations():
    guide = (ROOT / "training/guide.md").read_text("utf-8").split("## Relations")[1]

    assert set(re.findall(r"`([a-z_]+)`", guide.split("\n## ")[0])) == set(RELATIONS)
    assert network().relations == RELATIONS


def test_a_fact_is_stated_by_the_mentions_of_its_line(windows):
    window = windows[0]

    def spoken(span):
        return window.meanings[window.spans[span][:2]], window.spans[span][0]

    places = {
        RELATIONS[relation]: (spoken(one)[0], spoken(other)[0])
        for one, other, relation in window.links
    }
    assert places == {
        "leads": ("p1", "o1"),
        "located_in": ("o1", "l1"),
        "has_role": ("p2", "r1"),
    }
    leads = window.stated[0]
    (date, role) = leads.dates[0]
    assert (spoken(date)[0], ROLES[role]) == ("d1", "from")
    assert [FLAGS[place] for place, one in enumerate(window.stated[2].flags) if one] == [
        "was",
        "about",
    ]
    elsewhere = {(spoken(one)[0], spoken(other)[0]) for one, other, _ in window.unscored}
    assert elsewhere == {("p1", "o1"), ("o1", "l1")}


def test_other_names_leave_the_rest_of_a_window_as_it_was(windows):
    other = windows[0].renamed({"p": [[7]], "l": [[8, 9]]})

    changed = {
        place
        for place, (one, two) in enumerate(zip(windows[0].pieces, other.pieces, strict=True))
        if one != two
    }
    assert changed == {word for word, _ in windows[0].names}
    assert [list(other.pieces[word]) for word, _ in other.names[:3]] == [[7], [7], [8, 9]]


FLOOR = 0.5
LIKELY = 0.501
ENDS = ("subject", "object")


def assert_same(found, expected):
    """Fail unless what was found is as expected, and all that is likely was found."""
    assert np.allclose(found, np.where(found > 0, expected, 0), atol=1e-3)
    assert not (expected[found == 0] > LIKELY).any()


class StatesSession:
    """A session that returns given states."""

    def __init__(self, states):
        self._states = states

    def run(self, outputs, given):
        return [self._states]


def test_the_model_and_the_library_read_the_same(windows, model):
    window = windows[0]
    for name, weight in model.named_parameters():
        if not name.startswith("encoder."):
            torch.nn.init.normal_(weight, std=0.1)
    torch.nn.init.normal_(model.pair_out.weight, std=0.002)
    torch.nn.init.constant_(model.pair_out.bias, -2.0)
    model.eval()
    batch = Batch.of(windows).to(torch.device("cpu"))
    states = torch.randn(*batch.ids.shape, 384)

    library = Network(StatesSession(states[:1].numpy()), None, model.heads(), RELATIONS)
    reading = library.read(window.words, window.pieces, FLOOR)

    columns = [(span.start, span.end, span.kind) for span in reading.spans]
    spans = Spans(*(torch.tensor([column, column]) for column in zip(*columns, strict=True)))
    with torch.no_grad():
        words = model.words(states, batch)
        logits, _ = model.spans(words, batch)
        pairs = model.pairs(words, batch, spans)
    kinds = logits[0].softmax(-1)
    for span in reading.spans:
        chances = kinds[span.start, span.end - span.start]
        assert span.sure == pytest.approx(1 - float(chances[0]), abs=1e-3)
        assert span.kind == int(chances[1:].argmax()) + 1

    count = len(RELATIONS)
    chances = pairs.scores[0].sigmoid().numpy()
    chances[range(len(columns)), range(len(columns)), :count] = 0
    sure = np.zeros_like(chances[..., :count])
    for link in reading.links:
        sure[link.subject, link.object, link.relation] = link.sure
        flags = chances[link.subject, link.object, count + 1 :]
        assert np.allclose(link.flags, flags, atol=1e-3)
    assert reading.links
    assert_same(sure, chances[..., :count])
    for later, earlier in reading.same.items():
        row = chances[later, :later, count]
        assert row[earlier] == pytest.approx(row.max(), abs=1e-3)

    some = reading.links[:200]
    one, other = (torch.tensor([getattr(link, end) for link in some]) for end in ENDS)
    with torch.no_grad():
        dates = model.dates(pairs, spans, torch.zeros_like(one), one, other).sigmoid().numpy()
    sure = np.zeros_like(dates)
    for place, link in enumerate(some):
        for role, span, chance in link.dates:
            sure[place, span, ROLES.index(role)] = chance
    dates[:, [kind != DATE for _, _, kind in columns]] = 0
    assert sure.any()
    assert_same(sure, dates)


def test_a_few_steps_of_training_lower_the_loss(windows, model):
    training = Training(model, windows, Plan(epochs=7, batch=2, masked=0.05, rate=1e-3))
    costs = [sum(training.round(epoch=9)) for _ in range(7)]

    assert costs[-1] < costs[0] / 2
    before = model.heads()["span_out.weight"].copy()
    training.learning.swap()
    assert not np.allclose(model.heads()["span_out.weight"], before)
    training.learning.swap()
    assert np.array_equal(model.heads()["span_out.weight"], before)


def test_time_ends_training_in_the_middle_of_a_round(windows, model):
    training = Training(model, windows, Plan(epochs=9, batch=1, seconds=1e-9))

    training.round(epoch=0)

    assert training.learning.progress() >= 1
    assert len(list(training.learning.some(iter("abc")))) == 1


def test_what_was_prepared_is_read_again_with_its_parse(notes, windows, tmp_path):
    (tmp_path / "plain.txt").write_text("Ada Quill runs a pottery.\n\n  \n\nIt rained.\n", "utf-8")
    prepared = Prepared.of(texts_of([notes]), plain_texts([tmp_path / "plain.txt"]))
    prepared.write(tmp_path / "windows.pickle")

    again = Prepared.read(tmp_path / "windows.pickle")

    learnt, held, others = again.parts()
    assert len(learnt) + len(held) == 2
    assert [len(window.words) for window in others] == [6, 3]
    for (_, window), whole in zip(again.labelled, windows, strict=True):
        assert window.links == whole.links
        for name in ("roots", "joins", "ways"):
            assert np.array_equal(getattr(window, name), getattr(whole, name))


def test_mpnet_computes_what_its_authors_library_computes(tmp_path):
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    theirs = transformers.MPNetModel(
        transformers.MPNetConfig(
            num_hidden_layers=1, layer_norm_eps=1e-5, max_position_embeddings=514
        )
    ).eval()
    theirs.save_pretrained(tmp_path)
    ours = Mpnet(layers=1).eval()
    ours.take(tmp_path)
    ids = torch.randint(1000, 20000, (2, 150))
    ids[:, 0], ids[:, -1], ids[:, 7] = 101, 102, 103
    mask = torch.ones_like(ids)
    mask[1, 100:] = 0
    places = torch.arange(ids.shape[1]).expand(2, -1) + 2

    with torch.no_grad():
        states = ours(ids, mask)
        expected = theirs(ours.numbers[ids], attention_mask=mask, position_ids=places)

    real = mask.bool()
    assert torch.allclose(states[real], expected.last_hidden_state[real], atol=1e-5)


def test_what_teachers_say_is_learnt_without_labels_too(windows, model):
    plain = Prepared.of((), ["Ada Quill has run the pottery since 2008.", "She left Lodz."]).plain
    torch.manual_seed(7)
    teacher = Reader(Encoder(layers=1), len(RELATIONS))
    for name, weight in teacher.named_parameters():
        if name.startswith(("span_out", "pair_out", "date_out")):
            torch.nn.init.normal_(weight, std=0.5)
    distilling = Distilling(
        model,
        Teachers([teacher]),
        [*windows, *plain],
        Plan(epochs=12, batch=2, rate=2e-3, head_rate=2e-3),
    )

    costs = [distilling.round() for _ in range(10)]

    assert sum(costs[-1]) < 0.9 * sum(costs[0])


def test_a_reading_of_all_that_is_stated_scores_full_and_a_missing_fact_costs_recall(windows):
    window = windows[0]
    dates = {
        (fact.subject, fact.object): tuple((ROLES[role], span, 1.0) for span, role in fact.dates)
        for fact in window.stated
    }
    spans = tuple(Span(*span, 1.0) for span in window.spans)
    links = tuple(Link(*link, 1.0, (), dates[link[:2]]) for link in window.links)
    full, less = Score(), Score()

    full.add(window, Reading(spans, links, dict(window.same)))
    less.add(window, Reading(spans, links[1:], dict(window.same)))

    assert set(re.findall(r"\d+\.\d/\S+\d", str(full))) == {"100.0/100.0"}
    assert "facts at 0.5 100.0/66.7, dates 100.0/100.0" in str(less)


def test_held_texts_are_read_by_the_network_of_the_library(windows, model):
    assert str(score(model, windows)).startswith("spans ")
    assert network_of(model).relations == RELATIONS


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
def test_what_was_exported_can_be_trained_further(tmp_path):
    torch.manual_seed(0)
    model = Reader(Encoder(), len(RELATIONS)).eval()
    for weight in model.encoder.parameters():
        if weight.dim() == 1:  # all alike, they would be written once
            torch.nn.init.normal_(weight, mean=1.0, std=0.1)
    write_heads(model, list(RELATIONS), tmp_path / "heads.npz")
    write_encoder(model.encoder, tmp_path / "encoder.onnx")
    save(shipped(tmp_path), tmp_path / "start.pt")

    again, relations = load(tmp_path / "start.pt")
    assert relations == list(RELATIONS)
    assert nearness(again, tmp_path / "encoder.onnx") > 0.99
    now = dict(again.named_parameters())
    for name, weight in model.named_parameters():
        assert float((weight - now[name]).detach().abs().max()) < 0.03, name

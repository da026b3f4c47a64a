"""The command line in process: a real embedded store, a readable extractor."""

import io
import shutil
import sys
from collections import defaultdict

import pytest

from graphrag.cli.app import create_app, run
from graphrag.cli.demo_world import truth
from graphrag.graph import GraphRAG
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.session import Models
from graphrag.testing import HashEmbedder
from tests.conftest import PlainExtractor

ENVIRONMENT = [f"SURREAL_GRAPHRAG_{name}" for name in ("STORE", "EMBEDDER", "GROUP", "LLM")]


class TruthfulExtractor:
    """Read in the chronicle's episodes what its truth says of them."""

    def __init__(self):
        known = truth()
        self.types = {entity.name: entity.type for entity in known.entities}
        self.facts = defaultdict(list)
        for fact in known.facts:
            for episode in fact.episodes:
                self.facts[episode].append(fact)

    async def extract(self, context):
        episode = context.episode
        sentence = episode.content[:200]
        return Extraction(
            claims=tuple(
                Claim(
                    self.named(fact.subject),
                    fact.relation,
                    self.named(fact.object),
                    sentence,
                    0,
                    len(sentence),
                    valid_at=fact.valid_at,
                    invalid_at=fact.invalid_at,
                )
                for fact in self.facts[episode.metadata["chronicle"]]
            )
        )

    def named(self, name):
        return Mention(name, self.types.get(name, "thing"))


def opener(extractor):
    def open_graph(settings):
        return GraphRAG.open(
            settings.store,
            user=settings.user,
            password=settings.password,
            namespace=settings.namespace,
            database=settings.database,
            models=Models(embedder=HashEmbedder(int(settings.embedder or 64)), extractor=extractor),
            workers=settings.workers,
        )

    return open_graph


class Outcome:
    def __init__(self, code, captured):
        self.code = code
        self.out = captured.out
        self.err = captured.err

    @property
    def error(self):
        """The one line of an error, which is all there is on standard error."""
        assert self.err.startswith("error: "), self.err
        assert self.err.count("\n") == 1, self.err
        return self.err.removeprefix("error: ").strip()


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    """Run a command line in an empty folder and return its outcome."""
    alone(monkeypatch, tmp_path)

    def call(*arguments, stdin=None, extractor=None):
        if stdin is not None:
            data = stdin if isinstance(stdin, bytes) else stdin.encode()
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        capsys.readouterr()
        code = typed(*arguments, extractor=extractor)
        return Outcome(code, capsys.readouterr())

    return call


def alone(monkeypatch, folder):
    """Stand in a folder, without settings of the environment."""
    monkeypatch.chdir(folder)
    for name in (*ENVIRONMENT, "SURREAL_USER", "SURREAL_PASSWORD"):
        monkeypatch.delenv(name, raising=False)


def typed(*arguments, extractor=None):
    app = create_app(opener(extractor or PlainExtractor()))
    return run([str(argument) for argument in arguments], app=app)


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """Return a folder with two letters and the store that they were added to."""
    folder = tmp_path_factory.mktemp("letters")
    with pytest.MonkeyPatch.context() as monkeypatch:
        alone(monkeypatch, folder)
        for name, text, day in (
            ("old.txt", "Alice works_at Acme from 2020-01-01.", "2020-02-01"),
            ("new.txt", "Alice works_at Globex from 2023-06-01. Bob knows Alice.", "2023-07-01"),
        ):
            (folder / name).write_text(text)
            assert typed("add", name, "--reference-time", day) == 0
    return folder


@pytest.fixture
def told(written, cli, tmp_path):
    """Return the command line over a copy of a store that knows where Alice worked."""
    shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    return cli

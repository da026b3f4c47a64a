"""The command line in process: a real embedded store, a readable extractor."""

import io
import shutil
import sys
from collections import defaultdict
from functools import cache

import pytest
import typer

from graphrag.cli.app import create_app, run
from graphrag.graph import GraphRAG
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.session import Models
from graphrag.testing import HashEmbedder
from tests.conftest import PlainExtractor
from tests.demo_truth import truth

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


PLAIN = cache(lambda: create_app(opener(PlainExtractor())))
COMMAND_OF = cache(typer.main.get_command)  # it takes longer than most commands


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    """Run a command line in an empty folder and return its outcome."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(typer.main, "get_command", COMMAND_OF)
    for name in (*ENVIRONMENT, "SURREAL_USER", "SURREAL_PASSWORD"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments, stdin=None, extractor=None):
        if stdin is not None:
            data = stdin if isinstance(stdin, bytes) else stdin.encode()
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        capsys.readouterr()
        app = create_app(opener(extractor)) if extractor else PLAIN()
        code = run([str(argument) for argument in arguments], app=app)
        return Outcome(code, capsys.readouterr())

    return call


@pytest.fixture
def told(cli, tmp_path, tmp_path_factory):
    """Return the command line over a store that knows where Alice worked."""
    written = tmp_path_factory.getbasetemp() / "letters"
    if written.exists():
        shutil.copytree(written, tmp_path, dirs_exist_ok=True)
        return cli
    for name, text in (
        ("old.txt", "Alice works_at Acme from 2020-01-01."),
        ("new.txt", "Alice works_at Globex from 2023-06-01. Bob knows Alice."),
    ):
        (tmp_path / name).write_text(text)
    assert cli("add", "old.txt", "--reference-time", "2020-02-01").code == 0
    assert cli("add", "new.txt", "--reference-time", "2023-07-01").code == 0
    part = written.with_suffix(".part")  # what is killed meanwhile is not taken for all of it
    shutil.rmtree(part, ignore_errors=True)
    shutil.copytree(tmp_path, part).rename(written)
    return cli

"""What ``dev`` promises is there: no adapter goes untested because its framework is missing."""

import importlib
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from graphrag.errors import MissingExtraError

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
ADAPTERS = {
    "agent_framework": "agent-framework",
    "anthropic": "anthropic",
    "crewai": "crewai",
    "google_adk": "google-adk",
    "langchain": "langchain",
    "langgraph": "langgraph",
    "llama_index": "llama-index",
    "openai_agents": "openai-agents",
    "pydantic_ai": "pydantic-ai",
}
"""The extra of each module that adapts to a framework."""
IN_DEV = {name for line in EXTRAS["dev"] for name in re.findall(r"[\w-]+", line.partition("[")[2])}


def there(extra):
    try:
        return all(version(re.match(r"[\w-]+", line)[0]) for line in EXTRAS[extra])
    except PackageNotFoundError:
        return False


@pytest.mark.parametrize("extra", sorted(IN_DEV & set(ADAPTERS.values())))
def test_dev_brings_the_framework(extra):
    assert there(extra), f"pip install 'surreal-graphrag[{extra}]'"


def test_every_framework_is_in_dev_but_one_that_cannot_be():
    assert set(ADAPTERS.values()) - IN_DEV == {"crewai"}
    makefile, ci = (ROOT / "Makefile").read_text(), (ROOT / ".ci/run").read_text()
    assert "\ncrewai: " in makefile and "\nmake crewai\n" in ci


@pytest.mark.parametrize("module", ADAPTERS)
def test_without_its_framework_an_adapter_names_the_extra(module):
    # A framework that cannot be imported, whether it is there or not.
    names = ["agent_framework", "agents", "anthropic", "crewai", "google.adk", "langchain_core"]
    names += ["langgraph", "llama_index", "pydantic_ai"]
    script = (
        f"import sys; sys.modules |= dict.fromkeys({names!r}); "
        f"import graphrag.integrations.{module}"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT)
    assert f"{MissingExtraError.__name__}: graphrag.integrations.{module} needs" in done.stderr
    assert f"'surreal-graphrag[{ADAPTERS[module]}]'" in done.stderr


@pytest.mark.parametrize("extra", ADAPTERS.values())
def test_each_adapter_has_its_tests_and_its_section(extra):
    module = next(name for name, other in ADAPTERS.items() if other == extra)
    assert (Path(__file__).parent / f"test_{module}.py").exists()
    assert f"graphrag.integrations.{module} " in (ROOT / "docs/integrations.md").read_text()


def test_the_shared_modules_need_no_framework():
    names = {path.stem for path in (ROOT / "graphrag/integrations").glob("*.py")}
    for name in names - set(ADAPTERS) - {"__init__"}:
        importlib.import_module(f"graphrag.integrations.{name}")

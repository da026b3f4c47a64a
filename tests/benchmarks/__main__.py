"""``python -m tests.benchmarks [novel] [scale] [import] ...``: measure these, or the usual ones."""

import argparse
import asyncio
import os
from pathlib import Path

from rich.console import Console

from graphrag import OpenAILLM
from graphrag.cli.render import line
from tests.benchmarks import (
    ablation,
    ask,
    chat,
    communities,
    consolidation,
    dependent,
    exchange,
    extraction,
    faults,
    fresh,
    full_disk,
    groups,
    identity,
    imports,
    loop,
    misses,
    novel,
    parity,
    profiles,
    quality,
    questions,
    readers,
    recorded,
    rivals,
    scale,
    serving,
    speed,
    tracing,
    updates,
    vectors,
    verbs,
    writes,
    yago,
)
from tests.benchmarks.page import write_page
from tests.benchmarks.report import RESULTS, Report

_NAMES = ("chat", "import", "novel", "recorded", "scale", "speed", "verbs", "writes")
ALL = (
    *_NAMES,
    *(
        "ablation",
        "ask",
        "communities",
        "consolidation",
        "dependent",
        "exchange",
        "extraction",
        "faults",
        "fresh",
        "graphiti",
        "groups",
        "identity",
        "lightrag",
        "misses",
        "parity",
    ),
    *(
        "profiles",
        "quality",
        "questions",
        "readers",
        "serving",
        "tracing",
        "updates",
        "vectors",
        "yago",
    ),
)


def main() -> None:
    """Measure, show tables and write bench-results/NAME.json."""
    given = _arguments()
    console = Console(width=None if os.isatty(1) else 120, highlight=False)
    for name in given.names or _NAMES:
        report = Report(name, console)
        match name:
            case "ablation":
                asyncio.run(ablation.measure(report, _places(given)))
            case "ask":
                asyncio.run(ask.measure(report, given.data))
            case "chat":
                asyncio.run(chat.measure(report, given.runs))
            case "communities":
                asyncio.run(communities.measure(report, given.data, given.facts))
            case "consolidation":
                asyncio.run(consolidation.measure(report, given.data))
            case "dependent":
                asyncio.run(dependent.measure(report, given.data))
            case "import":
                imports.measure(report)
            case "exchange":
                asyncio.run(exchange.measure(report, exchange.Options(tuple(given.facts))))
            case "extraction":
                url = given.llm_url
                llm = (
                    OpenAILLM(
                        "model",
                        base_url=url,
                        api_key="none",
                        timeout=900,
                        concurrency=1,
                        max_tokens=1000,
                        cache=RESULTS / "answers",  # what is cut short goes on
                    )
                    if url
                    else None
                )
                asyncio.run(extraction.measure(report, given.data, llm))
            case "novel":
                asyncio.run(novel.measure(report, given.text, given.runs))
            case "faults":
                if given.full_disk:
                    asyncio.run(full_disk.measure(report, given.full_disk))
                else:
                    asyncio.run(faults.measure(report, given.kills))
            case "fresh":
                asyncio.run(fresh.measure(report, fresh.Options(max(given.facts), given.queries)))
            case "graphiti" | "lightrag":
                rival = rivals.GRAPHITI if name == "graphiti" else rivals.LIGHTRAG
                python = given.graphiti if name == "graphiti" else given.lightrag
                how = rivals.Options(python, tuple(given.facts), min(given.queries, 30))
                asyncio.run(rivals.measure(report, rival, how))
            case "groups":
                small = groups.Options(given.groups, given.queries, large=max(given.facts))
                asyncio.run(groups.measure(report, small))
            case "identity":
                identity.measure(report, given.records)
            case "misses":
                asyncio.run(misses.measure(report))
            case "parity":
                asyncio.run(parity.measure(report, given.cases))
            case "profiles":
                few = profiles.Options(tuple(given.facts), min(given.queries, 30))
                asyncio.run(profiles.measure(report, few))
            case "quality":
                asyncio.run(quality.measure(report, _places(given)))
            case "questions":
                questions.measure(report, given.questions)
            case "readers":
                asyncio.run(readers.measure(report, given.data))
            case "recorded":
                asyncio.run(recorded.measure(report))
            case "scale":
                options = scale.Options(tuple(given.facts), given.runs)
                asyncio.run(scale.measure(report, options))
            case "serving":
                if given.loop:
                    asyncio.run(loop.measure(report, loop.Options(tuple(given.facts))))
                else:
                    asyncio.run(serving.measure(report, serving.Options()))
            case "speed":
                fast = speed.Options(tuple(given.facts), given.runs, given.queries)
                asyncio.run(speed.measure(report, fast))
            case "tracing":
                asyncio.run(tracing.measure(report))
            case "updates":
                asyncio.run(updates.measure(report, given.conversations))
            case "vectors":
                vectors.measure(report, vectors.Options(tuple(given.facts), given.queries))
            case "verbs":
                asyncio.run(verbs.measure(report, verbs.Options(max(given.facts))))
            case "writes":
                asyncio.run(writes.measure(report, writes.Options(runs=min(given.runs, 3))))
            case "yago":
                asyncio.run(yago.measure(report, given.yago))
        report.write()
    if given.page:
        console.print(line(f"\nall of it: {write_page(RESULTS)}", "bold cyan"))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="|".join(ALL))
    parser.add_argument("--facts", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--groups", type=int, default=10_000, help="of 100 facts (groups)")
    parser.add_argument("--runs", type=int, default=5, help="repetitions of all but queries")
    parser.add_argument(
        "--full-disk",
        type=int,
        nargs="?",
        const=30,
        help="ways to fill a disk, instead of killing processes (faults)",
    )
    parser.add_argument("--kills", type=int, default=200, help="processes to kill (faults)")
    parser.add_argument("--cases", type=int, default=1_000, help="searches to compare (parity)")
    parser.add_argument(
        "--graphiti", type=_file, metavar="PYTHON", help="a python that has it (graphiti)"
    )
    parser.add_argument(
        "--lightrag", type=_file, metavar="PYTHON", help="a python that has it (lightrag)"
    )
    parser.add_argument("--text", type=_file, default=novel.OZ, help="default: a novel of 1900")
    parser.add_argument("--records", type=Path, help="folder of DBLP-ACM and Febrl (identity)")
    parser.add_argument("--conversations", type=Path, help="folder of BEAM (updates)")
    parser.add_argument("--questions", type=Path, nargs="*", default=[], help="JSONL (questions)")
    parser.add_argument("--yago", type=Path, help="folder of lifetimes (yago)")
    parser.add_argument(
        "--data", type=Path, default=Path("data"), help="folder of sets (quality, extraction)"
    )
    parser.add_argument("--llm-url", metavar="URL", help="of a server with a model (extraction)")
    parser.add_argument(
        "--loop", action="store_true", help="the dearest calls, and odd ones (serving)"
    )
    parser.add_argument("--page", action="store_true", help="then all results as one page")
    parser.add_argument("--sets", nargs="*", default=[], help="some of them; default: all")
    parser.add_argument("--stores", type=Path, default=RESULTS / "stores", help="where they are")
    parser.add_argument("--vectors", type=Path, default=RESULTS / "vectors", help="theirs")
    given = parser.parse_args()
    if "updates" in given.names and given.conversations is None:
        parser.error("updates needs --conversations FOLDER, which is not part of the repository")
    if "graphiti" in given.names and given.graphiti is None:
        parser.error(
            "graphiti needs --graphiti PYTHON, of an environment of Python 3.12 or newer "
            "with 'pip install graphiti-core falkordblite httpx'"
        )
    if "lightrag" in given.names and given.lightrag is None:
        parser.error(
            "lightrag needs --lightrag PYTHON, of an environment with 'pip install lightrag-hku'"
        )
    if unknown := set(given.names) - set(ALL):
        parser.error(f"unknown benchmark {', '.join(sorted(unknown))}: choose {', '.join(ALL)}")
    return given


def _places(given: argparse.Namespace) -> quality.Places:
    return quality.Places(given.data, given.stores, given.vectors, tuple(given.sets))


def _file(path: str) -> Path:
    if not Path(path).is_file():
        raise argparse.ArgumentTypeError(f"there is no file {path}")
    return Path(path)


if __name__ == "__main__":
    main()

"""``chat``: a long conversation, one episode a turn, with the default extractor and embedder.

The talk is made of the sentences below, with names, places and days that change: as many turns, and
as long ones, as a conversation of the LoCoMo benchmark has, which may not be passed on.
"""

import random
import time
from datetime import UTC, datetime, timedelta

from graphrag import NeuralExtractor, NewEpisode, OnnxEmbedder
from tests.benchmarks.novel import add, steps
from tests.benchmarks.report import Report, Section, p50

_TURNS = 550
_LIMIT = 30.0
_SPEAKERS = ("Mira", "Jonas")
_PEOPLE = ("Clara", "Tom", "Priya", "Henrik", "Olga Brandt", "Luis Ferrer", "my sister", "my boss")
_PLACES = ("Lisbon", "Oslo", "Ghent", "Kraków", "Porto", "Vienna", "Cork", "Basel")
_THINGS = ("the cello", "climbing", "watercolours", "sourdough", "chess", "old maps", "bees")
_FIRMS = ("Nordlicht", "Harbour Press", "Quill & Co", "Vantage Labs", "the city library")
_DAYS = ("yesterday", "last week", "two days ago", "last month", "on Monday", "this morning")
_LINES = (
    "I moved to {place} {day}, and the flat still smells of fresh paint. How have you been?",
    "{person} works at {firm} now. They were so pleased with the first month there.",
    "That is wonderful! I have been trying {thing} again after all these years, slowly.",
    "I met {person} {day} at the station in {place}; we talked until the last train had gone.",
    "Do you remember the summer when we walked from one village to the next? I miss it a lot.",
    "{person} lives in {place} and likes {thing}, so I sent a parcel with a long letter in it.",
    "No, I left {firm} {day}. It was time, and I would rather paint than sit in meetings.",
    "I adopted a dog {day}! Her name is Pepper and she is afraid of the vacuum cleaner.",
    "Thank you, it means a lot to me that you asked. What are you going to do at the weekend?",
    "I am reading a book about {thing} that {person} gave me, and I cannot put it down.",
)


def turns(count: int) -> list[NewEpisode]:
    """Return a conversation, the same one each time."""
    choice = random.Random(1).choice
    start = datetime(2024, 1, 6, 18, tzinfo=UTC)
    return [
        NewEpisode(
            f"{_SPEAKERS[number % 2]}: "
            + choice(_LINES).format(
                place=choice(_PLACES),
                day=choice(_DAYS),
                person=choice(_PEOPLE),
                firm=choice(_FIRMS),
                thing=choice(_THINGS),
            ),
            # Twenty turns a session, a session every five days.
            reference_time=start + timedelta(days=5 * (number // 20), minutes=number % 20),
            source="message",
        )
        for number in range(count)
    ]


async def measure(report: Report, runs: int, count: int = _TURNS) -> None:
    """Add the whole conversation to a fresh store, several times, with warm models."""
    embedder, extractor = OnnxEmbedder(), NeuralExtractor()
    started = time.perf_counter()
    await add(embedder, extractor, turns(1))
    report.say(f"models loaded in {time.perf_counter() - started:.1f} s, not counted below")
    batches = [await add(embedder, extractor, turns(count)) for _ in range(runs)]
    seconds = [batch.seconds for batch in batches]
    report.add(
        Section(
            f"{count} turns",
            [
                {
                    "seconds p50": p50(seconds),
                    "lowest": min(seconds),
                    "highest": max(seconds),
                    "turns/s": count / p50(seconds),
                    "facts": batches[0].facts,
                    "entities": batches[0].entities,
                    "runs": runs,
                }
            ],
            (f"to be at most {_LIMIT:.0f} s on two cores",),
        )
    )
    report.add(steps(batches))

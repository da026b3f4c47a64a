"""Settle with a language model what rules leave open: one question with every open point."""

from graphrag.extraction import Mention
from graphrag.llm.deciding import Decision, ask_decision
from graphrag.llm.usage import accounted_to
from graphrag.protocols import LLM, Case, Ruling


class LLMArbiter:
    """Ask a language model; whatever it says beyond the asked points is ignored."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    def __repr__(self) -> str:
        """Show the model."""
        return f"LLMArbiter({self._llm!r})"

    async def decide(self, case: Case) -> Ruling:
        """Return what the model is sure of.

        Raises:
            ExtractionError: if the model could not be asked or gave no valid answer.
        """
        with accounted_to(case.episode.id):
            decision = await self._llm.complete(ask_decision(case), answer=Decision)
        doubts = dict(enumerate(case.doubts, 1))
        meant: dict[Mention, str] = {}
        distinct: dict[Mention, tuple[str, ...]] = {}
        for one in decision.names:
            doubt = doubts.get(one.name)
            if doubt is None:
                continue
            if 1 <= one.candidate <= len(doubt.candidates):
                meant[doubt.mention] = doubt.candidates[one.candidate - 1].id
            elif one.candidate == 0:
                distinct[doubt.mention] = tuple(entity.id for entity in doubt.candidates)
        pairs = dict(enumerate(case.conflicts, 1))
        exclusive = tuple(
            pairs[number] for number in sorted(set(decision.exclusive_pairs)) if number in pairs
        )
        return Ruling(meant, distinct, exclusive)

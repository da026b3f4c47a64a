"""How much each method counts for episodes, and by what steps they are found."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EpisodeWeights:
    """Weights of the methods that rank episodes; 0 leaves a method out.

    ``vector`` and ``fulltext`` are shares of one score. What follows adds to it, each as that much
    of the best score that there could be. With ``Recipe(fusion="rrf")`` only the first two count.
    """

    vector: float = 0.6
    """Meaning: cosine of the query and the episode, or its best passage; of a text of many passages
    a part of this weight goes to words."""
    fulltext: float = 0.4
    """Words: BM25 of the best piece."""
    previous: float = 0.3
    """Score of the message before, in the same session."""
    following: float = 0.3
    """Score of the message after: often the reply to a question."""
    answer: float = 0.2
    """Share of its own score that a question in a chat hands on to the message after it."""
    session: float = 0.5
    """Words of the whole session."""
    own: float = 0.1
    """Being said by the user of an assistant, if the question is about the one who asks."""
    time: float = 0.3
    """Saying, or being told at, a time that the query speaks of."""
    titles: float = 0.6
    """Being linked by titles to what else is found, where episodes name each other by them."""
    mentions: float = 0.2
    """Speaking of the same entities as what else is found, where they do not."""
    bridge: float = 1.0
    """Answering the query together with one of the first three: the second hop, along titles. Along
    entities a third of it."""

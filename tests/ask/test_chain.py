"""Questions of several hops: each word is spent on one, and what says nothing more may be left."""

from tests.ask.conftest import knowing, unlike

FACTS = (
    ("Galway Rovers", "is_associated_with_sport", "hurling", None, None),
    ("hurling", "was_created_in_country", "Ireland", None, None),
    ("Ireland", "capital", "Dublin", None, None),
    ("Ireland", "head_of_state", "Nora Quinn", None, None),
    ("Mary Byrne", "is_a_citizen_of", "Ireland", None, None),
    ("Tide Tables", "was_performed_by", "Mary Byrne", None, None),
    ("1984", "author", "Mary Byrne", None, None),
    ("Radio Bray", "director", "Mary Byrne", None, None),
    ("Tide Tables", "broadcaster", "Radio Bray", None, None),
    ("Mary Byrne", "was_educated_at_school", "Bray College", None, None),
    ("Mary Byrne", "speaks_language", "Irish", None, None),
    ("Piet Brand", "works_in_field", "writer", None, None),
)


async def test_words_that_say_no_more_than_a_hop_are_left():
    async with knowing(FACTS) as graph:
        answers = {
            question: [value]
            for value, questions in {
                "Dublin": (
                    "Which city acts as the capital of the country where Mary Byrne holds "
                    "citizenship?",
                    'What is the capital of the country where the performer of "Tide Tables" '
                    "holds citizenship?",
                    'What is the capital of the country that the author of "1984" is a citizen of?',
                ),
                "Nora Quinn": (
                    "Who holds the title of head of state of the country of Mary Byrne's "
                    "citizenship?",
                ),
                "Mary Byrne": ('Who directed or managed the broadcaster of "Tide Tables"?',),
                "Irish": (
                    'Which languages are spoken, written or signed by the writer of "1984"?',
                    'Which language does the performer of "Tide Tables" know how to speak?',
                ),
            }.items()
            for question in questions
        }
        assert await unlike(graph, answers) == {}


async def test_a_word_that_says_something_else_is_not_left():
    async with knowing(FACTS) as graph:
        for question in (
            "What is the capital of the country that Mary Byrne visited?",
            "What is the capital of the country where the sport banned by Galway Rovers "
            "originated?",
            "Who is the deputy head of state of the country of Mary Byrne's citizenship?",
            "Which language does the critic of the performer of Tide Tables speak?",
            "What is the birthplace of the performer of Tide Tables?",
            "Which country did the author of 1984 win a prize in?",
        ):
            answer = await graph.ask(question)
            assert answer.values == (), (question, answer.values)
            assert answer.missing

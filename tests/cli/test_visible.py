"""No command steers the terminal, whatever the graph holds."""

import json

import anyio

from tests.display.test_visible import NAME, OTHER, STEERING, hostile_world

COMMANDS = (
    ("search", "Ann"),
    ("search", "Ann", "--explain"),
    ("show", NAME),
    ("log",),
    ("stats", "--growth", "month"),
    ("identity", NAME),
    ("neighbors", NAME),
    ("path", NAME, OTHER),
    ("timeline", NAME),
    ("changes", "--since", "2000-01-01"),
    ("facts", NAME),
    ("communities", "list"),
    ("communities", "draw", "map.svg"),
    ("communities", "ask", "Who works?"),
    ("sagas",),
    ("contradictions",),
    ("orphans",),
    ("cleanup",),
    ("groups",),
    ("check",),
)


async def fill():
    graph, _ = await hostile_world("surrealkv://./graph-store")
    await graph.close()


def test_no_command_steers_the_terminal(cli):
    anyio.run(fill)
    for arguments in COMMANDS:
        for form in ([], ["--json"]):
            outcome = cli(*arguments, *form)
            shown = outcome.out + outcome.err
            assert outcome.code == 0, (arguments, shown)
            assert not STEERING.search(shown), (arguments, shown)
            if form:
                json.loads(outcome.out)


def test_errors_do_not_steer_the_terminal(cli):
    anyio.run(fill)
    for arguments in (
        ["show", "Nobody\x1b[2J"],
        ["nonsense\x1b[2J"],
        ["search", "x", "--recipe", "\x9b"],
    ):
        outcome = cli(*arguments)
        assert outcome.code != 0
        assert not STEERING.search(outcome.err), outcome.err

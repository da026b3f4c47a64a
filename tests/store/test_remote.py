"""Servers: their versions, who signs in, what a user may not do, certificates, lost connections."""

import asyncio
import os
import random
import ssl
import subprocess
import sys
from collections import Counter

import pytest
from surrealdb import AsyncSurreal

from graphrag import GraphRAGError, StoreAuthError, StoreUnreachableError, StoreVersionError
from graphrag.store import connection, log, target
from graphrag.store.connection import Connection
from graphrag.store.engine import RemoteEngine
from graphrag.store.log import OpenStreams
from graphrag.store.store import Store
from graphrag.store.target import Target
from tests.conftest import open_graph
from tests.serving import Proxy, lacks_node, served, surreal

USERS = (
    "DEFINE USER root ON ROOT PASSWORD 'r00t-word' ROLES OWNER;",
    "USE NS graphrag DB graphrag;"
    "DEFINE USER nora ON NAMESPACE PASSWORD 'n-word' ROLES OWNER;"
    "DEFINE USER dora ON DATABASE PASSWORD 'd-word' ROLES OWNER;"
    "DEFINE USER eddi ON DATABASE PASSWORD 'e-word' ROLES EDITOR;"
    "DEFINE USER vera ON DATABASE PASSWORD 'v-word' ROLES VIEWER;"
    "DEFINE TABLE person; CREATE person:1 SET name = 'Rita', pass = 'x';"
    "DEFINE ACCESS people ON DATABASE TYPE RECORD "
    "SIGNIN (SELECT * FROM person WHERE name = $name AND pass = $pass);",
)
REAL = pytest.mark.skipif(lacks_node(), reason="no @surrealdb/node here: make test installs it")


async def token_of(place, **given):
    client = AsyncSurreal(f"ws://{place}")
    try:
        return (await client.signin(given)).access
    finally:
        await client.close()


async def told(graph, *sentences):
    for sentence in sentences:
        await graph.add_episode(sentence, reference_time="2024-01-01")


# -- versions --------------------------------------------------------------------------------------


@REAL
async def test_a_server_that_is_too_old_is_refused_before_anything_is_written():
    async with surreal() as place:
        with pytest.raises(StoreVersionError) as raised:
            async with open_graph(f"ws://{place}"):
                pass
        assert str(raised.value) == (
            f"ws://{place} runs surrealdb-3.0.2, and this library needs SurrealDB 3.1 or newer: "
            "upgrade the server; nothing was written"
        )
        client = AsyncSurreal(f"ws://{place}")
        try:
            assert "graphrag" not in (await client.query("INFO FOR ROOT;"))[0]["namespaces"]
        finally:
            await client.close()


@pytest.mark.parametrize(
    ("version", "enough"),
    [
        ("surrealdb-2.6.1", False),
        ("surrealdb-3.0.9", False),
        ("surrealdb-3.1.0-beta.2", True),
        ("surrealdb-3.10.0", True),
        ("surrealdb-10.0.0", True),
        ("nightly", True),
    ],
)
def test_versions_are_compared_by_number(version, enough):
    place = Target.parse("ws://127.0.0.1:8000")
    if enough:
        target.check_version(version, place)
        return
    with pytest.raises(StoreVersionError, match="upgrade the server"):
        target.check_version(version, place)


# -- who signs in ----------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["ws", "http"])
async def test_users_of_root_of_the_namespace_and_of_the_database_write(scheme):
    async with served(*USERS) as place:
        for user, word in (("root", "r00t"), ("nora", "n"), ("dora", "d"), ("eddi", "e")):
            async with open_graph(
                f"{scheme}://{place}", user=user, password=f"{word}-word"
            ) as graph:
                await told(graph, f"{user.title()} works_at Acme.")
        async with open_graph(f"{scheme}://nora:n-word@{place}") as graph:
            assert len(await graph.facts("Acme")) == 4


@pytest.mark.parametrize("scheme", ["ws", "http"])
async def test_a_token_is_as_good_as_its_user(scheme):
    async with served(*USERS) as place:
        given = {"namespace": "graphrag", "database": "graphrag", "username": "dora"}
        token = await token_of(place, **given, password="d-word")
        async with open_graph(f"{scheme}://{place}", token=token) as graph:
            await told(graph, "Alice works_at Acme.")
            assert len(await graph.facts("Alice")) == 1
            assert token not in repr(graph.handle.target)
        with pytest.raises(StoreAuthError, match="refused the token") as raised:
            async with open_graph(f"{scheme}://{place}", token=token[:-9] + "AAAAAAAAA"):
                pass
        assert token[:40] not in str(raised.value)


@pytest.mark.parametrize("scheme", ["ws", "http"])
async def test_a_user_whose_token_expires_signs_in_again(scheme):
    short = "DURATION FOR TOKEN 2s, FOR SESSION 2s"
    user = f"DEFINE USER short ON ROOT PASSWORD 'x' ROLES OWNER {short};"
    async with (
        served(user) as place,
        open_graph(f"{scheme}://{place}", user="short", password="x") as graph,
    ):
        await told(graph, "Alice works_at Acme.")
        for _ in range(2):
            await asyncio.sleep(2.5)
            await told(graph, "Bob works_at Acme.")
            assert [group.name for group in await graph.groups().list()] == ["default"]


def test_a_token_and_a_user_are_too_much():
    with pytest.raises(ValueError, match="got a token and a user: give one of them"):
        Target.parse("ws://me:secret@127.0.0.1", token="t0ken")


async def test_nobody_is_let_in_where_users_are_needed():
    async with served(*USERS) as place:
        with pytest.raises(StoreAuthError, match="refused user None"):
            async with open_graph(f"ws://{place}"):
                pass


# -- what a user may not do ------------------------------------------------------------------------


async def test_a_viewer_reads_and_a_write_says_who_may():
    async with served(*USERS) as place:
        vera = {"user": "vera", "password": "v-word"}
        with pytest.raises(StoreAuthError, match=r"database user 'vera'.*EDITOR and OWNER may"):
            async with open_graph(f"ws://{place}", **vera):
                pass
        async with (
            open_graph(f"ws://{place}", user="eddi", password="e-word") as writer,
        ):
            await told(writer, "Alice works_at Acme.")
            async with open_graph(f"ws://{place}", **vera) as graph:
                assert [fact.object for fact in await graph.facts("Alice")] == ["Acme"]
                assert (await graph.search("Alice Acme")).facts
                for write in (
                    graph.add_episode("Bob works_at Acme.", reference_time="2024-01-01"),
                    graph.erase.group(confirm="default"),
                ):
                    with pytest.raises(StoreAuthError, match="database user 'vera'") as raised:
                        await write
                assert "v-word" not in str(raised.value)
            assert len(await writer.facts("Acme")) == 1


async def test_a_record_user_is_told_that_it_takes_another():
    async with served(*USERS) as place:
        given = {"namespace": "graphrag", "database": "graphrag", "access": "people"}
        token = await token_of(place, **given, variables={"name": "Rita", "pass": "x"})
        with pytest.raises(StoreAuthError, match=r"record user 'person:1'.*the role VIEWER"):
            async with open_graph(f"ws://{place}", token=token):
                pass


async def test_a_write_that_the_server_leaves_out_silently_is_an_error():
    async with served(*USERS) as place:
        async with open_graph(f"ws://{place}", user="eddi", password="e-word") as graph:
            await told(graph, "Alice works_at Acme.")
            # The same graph, on a connection whose user may only read, as after a change of roles.
            held = graph.handle.session.store._connection
            viewer = Target.parse(f"ws://{place}", user="vera", password="v-word")
            before, held._engine = held._engine, await RemoteEngine.open(viewer)
            with pytest.raises(StoreAuthError, match=r"database user 'vera'.*to write"):
                await told(graph, "Bob works_at Acme.")
            await held._engine.close()
            held._engine = before
            assert len(await graph.facts("Acme")) == 1


# -- certificates ----------------------------------------------------------------------------------

LOOK = """
import asyncio, sys
from tests.conftest import open_graph

async def main():
    async with open_graph(sys.argv[1]) as graph:
        await graph.add_episode("Alice works_at Acme.", reference_time="2024-01-01")
        print(len(await graph.facts("Alice")))

try:
    asyncio.run(main())
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    made = f"-x509 -newkey rsa:2048 -nodes -days 2 -keyout {folder}/key -out {folder}/cert"
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(["openssl", "req", *made.split(), *names], check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("scheme", ["wss", "https"])
@pytest.mark.parametrize("trusted", [True, False])
async def test_a_certificate_counts_if_its_authority_is_named(scheme, trusted, certificate):
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate / "cert", certificate / "key")
    environment = os.environ | ({"SSL_CERT_FILE": f"{certificate}/cert"} if trusted else {})
    async with served(tls=tls) as place:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", LOOK, f"{scheme}://{place}"),
            env=environment,
            stdout=asyncio.subprocess.PIPE,
        )
        out = (await process.communicate())[0].decode().strip()
    if trusted:
        assert out == "1"
        return
    assert out.startswith(f"StoreUnreachableError {scheme}://{place} has a certificate that")
    assert "$SSL_CERT_FILE" in out


# -- lost connections ------------------------------------------------------------------------------


@pytest.fixture
async def proxy():
    async with served(*USERS) as place, Proxy(place) as before:
        yield before


ROOT = {"user": "root", "password": "r00t-word"}


async def test_a_read_is_repeated_on_a_new_connection(proxy):
    async with open_graph(f"ws://{proxy.place}", **ROOT) as graph:
        await told(graph, "Alice works_at Acme.")
        for cut in ("now", "ask", "answer"):
            if cut == "now":
                proxy.cut()
                await asyncio.sleep(0.05)
            else:
                proxy.cut_at = cut
            assert [group.name for group in await graph.groups().list()] == ["default"]
        assert proxy.cuts == 3


async def test_many_at_once_share_one_new_connection(proxy):
    async with open_graph(f"ws://{proxy.place}", **ROOT) as graph:
        await told(graph, "Alice works_at Acme.")
        before = proxy.accepted
        proxy.cut()
        found = await asyncio.gather(*(graph.groups().list() for _ in range(20)))
        assert [len(groups) for groups in found] == [1] * 20
        assert proxy.accepted == before + 1


async def test_a_server_that_comes_back_later_is_waited_for(proxy):
    async with open_graph(f"ws://{proxy.place}", **ROOT) as graph:
        await told(graph, "Alice works_at Acme.")
        proxy.down = True
        proxy.cut()
        asking = asyncio.create_task(graph.groups().list())
        await asyncio.sleep(1)
        assert not asking.done()
        proxy.down = False
        assert len(await asyncio.wait_for(asking, 10)) == 1


async def test_a_server_that_stays_away_is_named(proxy, monkeypatch):
    monkeypatch.setattr(connection, "_PAUSES", (0.01, 0.02))
    async with open_graph(f"ws://{proxy.place}", **ROOT) as graph:
        await told(graph, "Alice works_at Acme.")
        proxy.down = True
        proxy.cut()
        with pytest.raises(StoreUnreachableError, match="lost ws://"):
            await graph.groups().list()
        with pytest.raises(StoreUnreachableError, match=r"lost ws://.*may be written or not"):
            await graph.handle.session.store.transact("UPDATE meta:x SET y = 1;")
        proxy.down = False
        assert len(await graph.groups().list()) == 1


async def test_a_password_that_was_changed_meanwhile_is_an_error_of_its_own(proxy):
    async with open_graph(f"ws://{proxy.place}", **ROOT) as graph:
        await graph.handle.session.store.query("REMOVE USER root ON ROOT;")
        proxy.cut()
        with pytest.raises(StoreAuthError, match="refused user 'root'"):
            await graph.groups().list()


@pytest.mark.parametrize("cut", ["ask", "answer"])
async def test_a_write_that_is_cut_is_written_once(proxy, cut):
    async with open_graph(f"ws://{proxy.place}", **ROOT) as graph:
        await told(graph, "Alice works_at Acme.")
        store = graph.handle.session.store
        sent = store._connection.transact

        async def transact(sql, params):
            proxy.cut_at = cut
            await sent(sql, params)

        store._connection.transact = transact
        await told(graph, "Bob works_at Acme.")
        assert proxy.cuts == 1
        assert [event.seq for event in await graph.log.events()] == [1, 2]
        assert len(await graph.facts("Acme")) == 2


async def test_of_40_random_cuts_no_write_is_lost_or_doubled(proxy):
    await cuts(proxy, 40)


async def cuts(proxy, number):
    """Write while the connection is cut at any moment; compare with what was acknowledged."""
    dice = random.Random(7)
    async with open_graph(f"ws://{proxy.place}", **ROOT) as graph:
        acknowledged = []
        await told(graph, "Alice works_at Acme.")

        async def write():
            while proxy.cuts < number:
                name = f"Person{len(acknowledged)}"
                await told(graph, f"{name} works_at Acme.")
                acknowledged.append(name)

        writing = asyncio.create_task(write())
        while not writing.done():
            seen = len(acknowledged)
            while len(acknowledged) == seen and not writing.done():
                await asyncio.sleep(0.001)
            await asyncio.sleep(dice.uniform(0, 0.03))
            match dice.choice(("now", "ask", "answer")):
                case "now":
                    proxy.cut()
                case cut:
                    proxy.cut_at = cut
        await writing
        names = [fact.subject for fact in await graph.facts("Acme")]
        assert sorted(names) == sorted([*acknowledged, "Alice"])
        events = await graph.log.events()
        assert [event.seq for event in events] == [*range(1, len(acknowledged) + 2)]
        assert (await graph.health.check()).sound
        return len(acknowledged)


async def test_4_writers_and_8_readers_with_a_lost_server_in_the_middle(proxy):
    found = await crowd(proxy, 10)
    assert min(found["acknowledged"], found["reads"]) > 0  # few, where the machine is busy
    for bad in ("lost", "doubled", "write errors", "read errors", "stale reads", "findings"):
        assert found[bad] == 0, found


async def crowd(proxy, seconds, *, writers=4, readers=8):
    """Write to two groups and read from them, each by a graph of its own; say what went wrong."""
    until = asyncio.get_running_loop().time() + seconds
    acknowledged, errors, counts = [], Counter(), Counter()

    def opened():
        return open_graph(f"ws://{proxy.place}", **ROOT)

    async def write(number):
        async with opened() as graph:
            group, count = graph.group(f"g{number % 2}"), 0
            while asyncio.get_running_loop().time() < until:
                name = f"Writer{number} Person{count}"
                count += 1
                try:
                    await told(group, f"{name} works_at Acme.")
                except GraphRAGError:
                    errors["write errors"] += 1
                else:
                    acknowledged.append((number % 2, name))

    async def read(number):
        dice = random.Random(number)
        async with opened() as graph:
            while asyncio.get_running_loop().time() < until:
                if not acknowledged:
                    await asyncio.sleep(0.1)
                    continue
                group, name = dice.choice(acknowledged)
                try:
                    facts = await graph.group(f"g{group}").facts(name)
                    assert (await graph.group(f"g{group}").search(f"{name} Acme")).facts
                except GraphRAGError:
                    errors["read errors"] += 1
                else:
                    counts["reads"] += 1
                    errors["stale reads"] += len(facts) != 1

    async def cut():
        await asyncio.sleep(seconds / 2)
        proxy.down = True
        proxy.cut()
        await asyncio.sleep(1)
        proxy.down = False

    async with opened() as graph:  # one makes the tables
        await told(graph, "Alice works_at Acme.")
        await asyncio.gather(cut(), *map(write, range(writers)), *map(read, range(readers)))
        names = Counter()
        for group in (0, 1):
            facts = await graph.group(f"g{group}").facts("Acme")
            names.update((group, fact.subject) for fact in facts)
        report = await graph.health.check()
    return {
        "acknowledged": len(acknowledged),
        "lost": len({*acknowledged} - names.keys()),
        "reads": 0,
        "doubled": sum(count > 1 for count in names.values()),
        **dict.fromkeys(("write errors", "read errors", "stale reads"), 0),
        **errors,
        **counts,
        "findings": len(report.findings),
    }


# -- news ------------------------------------------------------------------------------------------


@REAL
async def test_a_server_tells_of_commits_at_once(monkeypatch):
    monkeypatch.setattr(target, "_LEAST", (3, 0))
    monkeypatch.setattr(log, "_LOOK_EVERY", 60)
    monkeypatch.setattr(log, "_LOOK_SELDOM", 60)
    async with surreal() as place, Proxy(place) as before:
        held = Connection(Target.parse(f"ws://{before.place}"))
        await held.open()
        await held.query("DEFINE TABLE event SCHEMALESS;")
        store, streams = Store(held), OpenStreams()
        stream = streams.open("g", store, asyncio.Lock(), after=0)

        async def committed(seq):
            await held.query(
                "CREATE type::record('event', ['g', $seq]) SET group_id = 'g', seq = $seq, "
                "at = time::now(), actor = 'a', kind = 'k', changes = '[]';",
                {"seq": seq},
            )

        for seq in (1, 2):
            coming = asyncio.create_task(anext(stream))
            await asyncio.sleep(0.5)
            assert not coming.done()
            await committed(seq)
            assert (await asyncio.wait_for(coming, 5)).seq == seq
        monkeypatch.setattr(log, "_LOOK_EVERY", 0.2)  # it is looked at where nobody tells
        coming = asyncio.create_task(anext(stream))
        await asyncio.sleep(0.1)
        before.cut()
        await asyncio.sleep(0.5)
        await committed(3)
        assert (await asyncio.wait_for(coming, 5)).seq == 3
        streams.close()
        await store.close()

"""The files of deployment: their commands are ours, and the server runs in their environment."""

import asyncio
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import urllib.request
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import typer
import yaml

from graphrag.cli.app import create_app
from graphrag.settings import VARIABLES
from tests.serving import served

ROOT = Path(__file__).parents[1]
UNIT = (ROOT / "deploy" / "surreal-graphrag.service").read_text("utf-8")
SERVICES = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
PROGRAM = "surreal-graphrag"
SECRETS = {
    "SURREAL_USER": "root",
    "SURREAL_PASSWORD": "a-password-of-tests",
    "SURREAL_GRAPHRAG_TOKEN": "a-token-of-tests-long-enough",
}
OURS = {*VARIABLES.values()}


def directive(name):
    return re.findall(rf"^{name}=(.*)$", UNIT, re.MULTILINE)


def instruction(name):
    return [json.loads(line) for line in re.findall(rf"\b{name} (\[.*\])$", DOCKERFILE, re.M)]


def parsed(command):
    """Return what the command line of this package makes of a command."""
    assert Path(command[0]).name == PROGRAM
    serve = typer.main.get_command(create_app()).commands[command[1]]
    return serve.make_context(command[1], [*command[2:]]).params


COMMANDS = {
    "compose": [PROGRAM, *SERVICES["graph"]["command"]],
    "image": [*instruction("ENTRYPOINT")[0], *instruction("CMD")[-1]],
    "systemd": shlex.split(directive("ExecStart")[0]),
}


@pytest.mark.parametrize("where", COMMANDS)
def test_every_command_is_one_of_ours(where):
    taken = parsed(COMMANDS[where])
    assert taken["port"] == 8000
    assert (taken["host"] == "127.0.0.1") == (where == "systemd")
    with pytest.raises(Exception, match="No such option"):
        parsed([*COMMANDS[where], "--prot", "1"])


def test_secrets_come_from_the_environment_alone():
    example = dict(re.findall(r"^(\w+)=(.*)$", (ROOT / "deploy" / "example.env").read_text(), re.M))
    assert example == dict.fromkeys(SECRETS, "") | {"SURREAL_USER": "root"}
    assert directive("EnvironmentFile") == ["/etc/surreal-graphrag.env"]
    asked = [value for service in SERVICES.values() for value in service["environment"].values()]
    names = [re.fullmatch(r"\$\{(\w+):\?.*\}", value) for value in asked if value[:5] != "ws://"]
    assert {name[1] for name in names} == SECRETS.keys()
    assert not re.search(r"^(ENV|ARG) ", DOCKERFILE, re.MULTILINE)
    kept = (ROOT / ".dockerignore").read_text().splitlines()
    copied = {line[1:] for line in kept if line.startswith("!")}
    assert kept[0] == "*" and copied.isdisjoint({".env", ".git", "deploy"})
    assert all((ROOT / name).exists() for name in copied)


def test_services_wait_for_each_other_and_are_no_root():
    database, graph = SERVICES["database"], SERVICES["graph"]
    assert "ports" not in database and database["healthcheck"]["test"][0] == "CMD"
    assert graph["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert graph["ports"] == ["127.0.0.1:8000:8000"]
    assert DOCKERFILE.index("\nUSER graphrag") < DOCKERFILE.index("\nENTRYPOINT")


async def healthy(process, command):
    """Return the port of a server once it says where it listens, asked as the image asks."""
    line = await asyncio.wait_for(process.stdout.readline(), 60)
    port = re.search(rb":(\d+)/", line)[1].decode()
    check = [*command[:-1], command[-1].replace("8000", port)]
    for wait in (0.1,) * 50:
        asked = await asyncio.create_subprocess_exec(*check, stderr=subprocess.DEVNULL)
        if await asked.wait() == 0:
            break
        await asyncio.sleep(wait)
    else:
        raise AssertionError("/health did not answer")
    return port


@pytest.mark.parametrize("where", ["compose", "systemd"])
async def test_the_server_runs_in_the_environment_given(where, tmp_path):
    async with AsyncExitStack() as stack:
        if where == "compose":
            given = {**SERVICES["graph"]["environment"]}
            user = "DEFINE USER root ON ROOT PASSWORD 'a-password-of-tests' ROLES OWNER;"
            place = await stack.enter_async_context(served(user))
            given["SURREAL_GRAPHRAG_STORE"] = f"ws://{place}"
        else:
            given = dict(line.split("=", 1) for line in directive("Environment"))
            [folder] = directive("WorkingDirectory")
            given["SURREAL_GRAPHRAG_STORE"] = given["SURREAL_GRAPHRAG_STORE"].replace(
                folder, str(tmp_path)
            )
            given |= SECRETS
        assert given.keys() <= OURS
        given |= {name: SECRETS[name] for name in given.keys() & SECRETS.keys()}
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **given}
        command = [*COMMANDS[where][1:]]
        command[command.index("--port") + 1] = "0"
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "graphrag", *command,
            cwd=tmp_path, stdout=subprocess.PIPE,
            env=environment | {"PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        try:
            [check] = [words for words in instruction("CMD") if words[0] == "python"]
            port = await healthy(process, [sys.executable, *check[1:]])
            reply = await asyncio.to_thread(asked, port, SECRETS["SURREAL_GRAPHRAG_TOKEN"])
            assert reply["status"] == "done"
            assert await asyncio.to_thread(asked, port, "a-token-that-nobody-has") == 401
        finally:
            process.terminate()
            assert await asyncio.wait_for(process.wait(), 30) == 0


def asked(port, token):
    """Tell the server something; return its answer, or the status of a refusal."""
    body = json.dumps({"content": "Ann Lee lives in Rome."}).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/remember", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_takes_the_unit_and_finds_it_hardened(tmp_path):
    unit = tmp_path / "surreal-graphrag.service"
    unit.write_text(UNIT.replace(COMMANDS["systemd"][0], sys.executable))
    verified = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    assert (verified.returncode, verified.stderr) == (0, "")
    rated = ["systemd-analyze", "security", "--offline=yes", "--threshold=20", unit]
    assert subprocess.run(rated, capture_output=True).returncode == 0

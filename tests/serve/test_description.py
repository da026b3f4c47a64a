"""REST against its own description: requests that a tool makes of it, good and bad."""

import asyncio
import sys
from contextlib import suppress

from graphrag.serve.server import serve
from graphrag.serve.verb_table import VERBS

REQUESTS_EACH = 4


async def test_no_request_that_schemathesis_makes_is_answered_otherwise_than_described(
    known, tmp_path
):
    url = asyncio.get_running_loop().create_future()
    server = asyncio.ensure_future(serve(known, port=0, on_start=url.set_result))
    base = await url
    tried = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()",
        "run", f"{base}/openapi.json", "--url", base,
        "--exclude-path-regex", "/v1/events$",  # it does not end
        "--phases", "fuzzing", "--max-examples", str(REQUESTS_EACH),
        # An entity that is not there is refused, however well the request is formed.
        "--exclude-checks", "positive_data_acceptance",
        "--generation-deterministic", "--no-color",
        cwd=tmp_path, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said, _ = await tried.communicate()
    server.cancel()
    with suppress(asyncio.CancelledError):
        await server
    assert tried.returncode == 0, said.decode()


def test_the_reason_of_a_change_comes_after_what_is_changed():
    for verb in VERBS.values():
        fields = [*verb.input.model_fields]
        assert "reason" not in fields[:1], verb.name

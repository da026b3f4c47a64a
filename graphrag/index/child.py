"""Computation in a child process, which can be ended: when it takes too long, or nobody waits.

igraph and leidenalg let no other thread run meanwhile, so the event loop would stand still. The
child is ``python -P -m graphrag.index.child``: a function of a module and its arguments in, what it
returns out. It is started for one call, which costs a third of a second and leaves nothing behind.
"""

import asyncio
import logging
import os
import pickle
import signal
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from graphrag.errors import QueryError

_LOG = logging.getLogger("graphrag")
P = ParamSpec("P")
T = TypeVar("T")
SECONDS = 120.0
"""For one computation; whoever waits for less cancels it."""
_BYTES = 3 << 30
"""Of memory, where the system lets a process bound its own."""


async def in_child(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what a function of a module returns; the event loop goes on.

    Where no process can be started, a thread calls it.
    """
    sent = pickle.dumps((work, args, kwargs))
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    path = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable or "", "-P", "-m", __name__),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, **threads, **path},
        )
    except (OSError, NotImplementedError) as error:
        _LOG.warning("no process can be started: %s", error)
        return await asyncio.to_thread(work, *args, **kwargs)
    try:
        async with asyncio.timeout(SECONDS):
            returned, stderr = await process.communicate(sent)
    except TimeoutError:
        raise QueryError(
            f"{work.__name__} took more than {SECONDS:g} s: ask for a smaller part of the group"
        ) from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        _LOG.debug("%s in a child: %s", work.__name__, stderr.decode(errors="replace"))
        code = process.returncode
        end = f"exit code {code}" if code > 0 else signal.Signals(-code).name
        raise QueryError(
            f"{work.__name__} was ended ({end}), as for lack of memory: ask "
            "for a smaller part of the group"
        )
    result: T = pickle.loads(returned)
    return result


def _main() -> None:
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))
    work, args, kwargs = pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(pickle.dumps(work(*args, **kwargs)))
    sys.stdout.buffer.flush()
    os._exit(0)  # nothing to tidy up: what it returned is written


if __name__ == "__main__":
    _main()

"""The command ``surreal-graphrag``."""

import sys

STOPPED = 130
"""Exit code of a command that Ctrl-C stopped, as shells have it."""


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        # Imported here: Ctrl-C while this is read is as quiet as later on.
        from graphrag.cli.app import run

        sys.exit(run())
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("typer", "rich"):
            raise
        sys.stderr.write(
            "error: the command line needs an extra: pip install 'surreal-graphrag[cli]'\n"
        )
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(STOPPED)

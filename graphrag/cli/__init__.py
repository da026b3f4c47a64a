"""The command ``surreal-graphrag``."""

import sys


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        from graphrag.cli.run import run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("typer", "rich"):
            raise
        sys.stderr.write(
            "error: the command line needs an extra: pip install 'surreal-graphrag[cli]'\n"
        )
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(run())

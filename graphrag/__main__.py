"""``python -m graphrag`` is ``surreal-graphrag``."""

from graphrag.cli import main

if __name__ == "__main__":
    main()

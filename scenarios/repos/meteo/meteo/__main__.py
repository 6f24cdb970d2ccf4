"""``python3 -m meteo``."""

import sys

from meteo.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

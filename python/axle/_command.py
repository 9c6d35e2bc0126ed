"""The command `axle` of an installed package: becomes the command line, a binary, which is part of the wheel."""

import os
import sys

from ._places import command


def main():
    path = command()
    if path is None:
        print("axle: this package comes without the command line; `cmake --install` of a build brings it",
              file=sys.stderr)
        return 1
    os.execv(path, [path, *sys.argv[1:]])

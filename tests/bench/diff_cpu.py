#!/usr/bin/env python3
"""CPU time of `prevet diff` beside the recipe that it replaces, on a large work tree.

usage: diff_cpu.py PATH_TO_PREVET [--files N] [--rounds N]

Makes a repository, and for a number of changed or untracked files runs by turns

    git add --intent-to-add . && git diff HEAD        (the recipe, on the index as a clone leaves it)
    prevet diff --base HEAD

and compares user and system time, children included. Prints one line a case; the exit code is 1 if a case is
over its bound or if the two patches differ.
"""
import argparse
import hashlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

# name, changed files, untracked files, bound of the ratio
CASES = [
    ("nothing changed", 0, 0, 0.7),
    ("10 changed", 10, 0, 0.7),
    ("10 untracked", 0, 10, 0.7),
    ("1,000 changed", 1000, 0, 1.0),
    ("1,000 untracked", 0, 1000, 1.0),
    ("1,000 of both", 1000, 1000, 1.0),
]
FILES_A_FOLDER = 40


def path_of(number):
    return f"part{number // (FILES_A_FOLDER * 25)}/unit{number // FILES_A_FOLDER}/file{number}.txt"


def content_of(number):
    """Some 1,500 bytes that differ from file to file and are the same in every run."""
    lines, digest = [], hashlib.sha256(str(number).encode()).hexdigest()
    for line in range(8 + number % 32):
        lines.append(f"{line:4} {digest[line:]}{digest[:line]} of file {number}")
    return "\n".join(lines) + "\n"


def fast_import(count):
    """The stream that makes one commit of `count` files."""
    yield b"commit refs/heads/main\ncommitter bench <bench@example.test> 1700000000 +0000\ndata 5\nfiles\n"
    for number in range(count):
        body = content_of(number).encode()
        yield f"M 100644 inline {path_of(number)}\ndata {len(body)}\n".encode() + body + b"\n"


class WorkTree:
    """A repository whose index can be put back as it was after the checkout."""

    def __init__(self, home, count):
        self.root = home / "tree"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "TMPDIR": str(home),
            "GIT_CONFIG_NOSYSTEM": "1",
            "LC_ALL": "C",
        }
        self.count = count
        self.root.mkdir()
        self.git("init", "-q", "-b", "main")
        importer = subprocess.Popen(
            ["git", "fast-import", "--quiet"], cwd=self.root, env=self.environment, stdin=subprocess.PIPE
        )
        for block in fast_import(count):
            importer.stdin.write(block)
        importer.stdin.close()
        if importer.wait():
            raise SystemExit("git fast-import failed")
        self.git("reset", "-q", "--hard")
        self.git("update-index", "-q", "--refresh")
        self.index = self.root / ".git/index"
        self.pristine = self.index.read_bytes()
        self.time = self.index.stat().st_mtime_ns

    def git(self, *arguments):
        subprocess.run(["git", *arguments], cwd=self.root, env=self.environment, check=True)

    def restore_index(self):
        self.index.write_bytes(self.pristine)
        os.utime(self.index, ns=(self.time, self.time))

    def change(self, changed, untracked):
        step = self.count // max(changed, 1)
        for number in range(0, changed * step, step):
            path = self.root / path_of(number)
            path.write_text(path.read_text().replace("   3 ", "   3 changed ", 1))
        for number in range(untracked):
            path = self.root / path_of(number * max(self.count // max(untracked, 1), 1))
            path.with_name(f"new{number}.txt").write_text(content_of(self.count + number))

    def undo(self):
        self.git("checkout", "-q", ".")
        self.git("clean", "-qfd")
        self.git("update-index", "-q", "--refresh")
        self.pristine, self.time = self.index.read_bytes(), self.index.stat().st_mtime_ns

    def cpu_seconds(self, command, output):
        """User and system time of a command and of all its children."""
        with open(output, "wb") as target:
            started = subprocess.Popen(command, cwd=self.root, env=self.environment, stdout=target)
            _, status, usage = os.wait4(started.pid, 0)
            started.returncode = os.waitstatus_to_exitcode(status)
        if started.returncode:
            raise SystemExit(f"{command} ended with {started.returncode}")
        return usage.ru_utime + usage.ru_stime


def measure(tree, prevet, rounds, home):
    recipe, ours = [], []
    expected, printed = home / "expected", home / "printed"
    for _ in range(rounds):
        tree.restore_index()
        added = tree.cpu_seconds(["git", "add", "--intent-to-add", "."], os.devnull)
        recipe.append(added + tree.cpu_seconds(["git", "diff", "HEAD"], expected))
        tree.restore_index()
        ours.append(tree.cpu_seconds([prevet, "diff", "--base", "HEAD"], printed))
    same = expected.read_bytes() == printed.read_bytes()
    return statistics.median(recipe), statistics.median(ours), same


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prevet")
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    prevet = os.path.abspath(arguments.prevet)
    home = Path(tempfile.mkdtemp(prefix="diff-cpu-"))
    failed = False
    try:
        tree = WorkTree(home, arguments.files)
        print(f"{arguments.files:,} files, median of {arguments.rounds} runs, CPU seconds")
        for name, changed, untracked, bound in CASES:
            tree.change(changed, untracked)
            recipe, ours, same = measure(tree, prevet, arguments.rounds, home)
            tree.restore_index()
            tree.undo()
            ratio = ours / recipe
            good = same and ratio <= bound and ratio < 1
            failed |= not good
            note = "" if good else "  OVER" if same else "  PATCHES DIFFER"
            print(f"{name:18} recipe {recipe:.3f}  prevet {ours:.3f}  ratio {ratio:.2f} (bound {bound}){note}")
            sys.stdout.flush()
    finally:
        shutil.rmtree(home, ignore_errors=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Says which of the last commits have a subject or a body that readers of the history cannot use.

    check_commits.py [--last 30] [REPOSITORY]

A subject has at most 72 characters and is `folder: imperative` or `folder, folder: imperative`: "ops: check sizes of
slices". English is not parsed: a first word that ends as no imperative does ("adds", "added", "adding", "kernels")
or that begins a noun phrase ("the", "all", "no", a number) is refused, other nouns are not noticed. A commit that
changes more than documents has a body that says why. Merges are excepted, and so is what is older than this
script: the rules begin behind the commit BEGIN, or in a repository without that with the commit that added the script, or,
in a clone without so much history, where the clone begins. Exits 1 if there is a finding, and 0 where there is no history at all.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
THIS = "scripts/check_commits.py"
MAX_SUBJECT = 72
# Where the branches that were written beside this script had been merged.
BEGIN = "9cc14feb393e4a50fad18b678e13397badd23ed9"
FOLDER = r"[a-z.][a-z0-9_./-]*"
SUBJECT = re.compile(rf"{FOLDER}(, {FOLDER})*: (.+)")
# Imperatives that end as other forms of verbs do.
IMPERATIVES = {"bring", "ping", "string", "ring", "embed", "feed", "need", "speed", "seed", "shed", "exceed", "proceed",
               "alias", "bias", "focus", "canvas"}
NO_VERBS = set("""a an the this that these those it its we i all any both each every few many more most no none not one
    only other same several some such two three what when where which who whose why how as at because by for from if in into of on
    to under until with without""".split())
TRAILER = re.compile(r"[A-Z][A-Za-z]*(-[A-Za-z]+)+: \S.*")


def git(repository, *arguments):
    return subprocess.run(["git", "-C", repository, *arguments], capture_output=True, text=True, check=True).stdout


def is_imperative(word):
    word = word.lower()
    if word in IMPERATIVES:
        return True
    return word not in NO_VERBS and re.fullmatch(r"[a-z]+(-[a-z]+)*", word) and \
        not re.search(r"(ed|ing|[^s]s|[a-z]tion)$", word)


def findings(subject, body, paths):
    """The rules that a commit breaks, as texts."""
    found = []
    if len(subject) > MAX_SUBJECT:
        found.append(f"the subject has {len(subject)} characters; at most {MAX_SUBJECT}")
    match = SUBJECT.fullmatch(subject)
    if subject.startswith('Revert "'):  # git's own words
        pass
    elif not match:
        found.append("the subject is not `folder: what changes`")
    elif not is_imperative(match[2].split()[0].rstrip(",;:")):
        found.append(f'"{match[2].split()[0]}" is no imperative; write what the commit does: "add", "check", "rename"')
    lines = [line for line in body.splitlines() if line.strip() and not TRAILER.fullmatch(line)]
    if not lines and any(not path.endswith(".md") for path in paths):
        found.append("there is no body that says why")
    return found


def first_of_the_rules(repository):
    """The commit behind which the rules begin and its time, or None: `--diff-filter` takes what a shallow clone begins with for it."""
    begin = subprocess.run(["git", "-C", repository, "show", "-s", "--format=%H %ct", BEGIN], capture_output=True, text=True)
    if begin.returncode == 0:
        return begin.stdout.split()
    added = git(repository, "log", "--diff-filter=A", "--format=%H %ct", "--", THIS).split("\n")
    return added[0].split() if added[0] else None


def check(repository, last):
    """Prints what is wrong with the last commits; returns how many are wrong."""
    inside = subprocess.run(["git", "-C", repository, "rev-parse", "--verify", "-q", "HEAD"], capture_output=True)
    if inside.returncode != 0:
        print("commits: no history here, nothing to check")
        return 0
    first = first_of_the_rules(repository)
    if first is None:
        print("commits: the script is not committed yet, nothing to check")
        return 0
    # What was written beside the script and merged later is older by its date.
    hashes = [line.split()[0] for line in git(repository, "log", "--no-merges", "--format=%H %ct", f"{first[0]}..HEAD").splitlines()
              if int(line.split()[1]) >= int(first[1])][:last]
    wrong = 0
    for commit in hashes:
        subject, _, body = git(repository, "log", "-1", "--format=%s%n%b", commit).partition("\n")
        paths = git(repository, "diff-tree", "--root", "--no-commit-id", "-r", "--name-only", commit).splitlines()
        found = findings(subject, body, paths)
        wrong += bool(found)
        for text in found:
            print(f"commits: {commit[:10]} {subject}\n  {text}")
    print(f"commits: {len(hashes)} looked at, {wrong} with findings")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--last", type=int, default=30)
    parser.add_argument("repository", nargs="?", default=str(ROOT))
    args = parser.parse_args()
    return bool(check(args.repository, args.last))


if __name__ == "__main__":
    sys.exit(main())

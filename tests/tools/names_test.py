#!/usr/bin/env python3
"""Verbs, options, formats, reports and files that README.md, docs/, CONTRIBUTING.md and the help texts name exist.

What exists is asked of the tool itself (AXLE_TOOL): the verbs of `axle help`, the options of `axle VERB -h` and of
`axle help options`, the values that it lists when it is given another one.
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = os.environ.get("AXLE_TOOL")
# Records of what was and of what others do; not pages about what there is.
HISTORY = re.compile(r"docs/adr/|CHANGELOG\.md")


def tool(*arguments):
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.stdout + done.stderr


def listed(text):
    """The names of a list like "...; there are hlo, hlo.pb"."""
    found = re.search(r"there are ([^\n]+)", text)
    return set(re.split(r", | and ", found[1].strip())) if found else set()


class Names:
    def __init__(self):
        overview = tool("help")
        self.verbs = {"help", *re.findall(r"^  ([a-z]+) {2,}", overview, re.M), "completion", "man"}
        everywhere = set(re.findall(r"--[a-z-]+", tool("help", "options") + overview)) | {"--help", "--version"}
        self.options = {verb: everywhere | set(re.findall(r"--[a-z-]+", tool(verb, "-h"))) for verb in self.verbs - {"help"}}
        self.options["help"] = everywhere
        self.values = {("convert", "--to"): listed(tool("convert", "x", "--to", "nonsense")) or listed(tool("convert", "x")),
                       ("opt", "--to"): listed(tool("opt", str(ROOT / "tests/data/programs/softmax/program.hlo.txt"), "--to", "nonsense"))}
        self.formats = listed(tool("run", "x", "--from", "nonsense"))

    def mistakes(self, command):
        """What is wrong with `axle VERB ...`, a line of a shell."""
        words = command.split()
        if len(words) < 2 or not re.fullmatch(r"[a-z]+", words[1]):
            return []  # the tool itself, "axle VERB", "axle --version"
        verb = words[1]
        if verb not in self.verbs:
            return [f'there is no verb "{verb}"']
        found = []
        if verb == "launch" and "--" in words:  # what follows is another command
            end = words.index("--")
            found += self.mistakes(" ".join(words[end + 1 :])) if words[end + 1 : end + 2] == ["axle"] else []
            words = words[:end]
        for i, word in enumerate(words[2:], 2):
            option, equals, value = word.strip("[]").partition("=")
            if not re.fullmatch(r"--[a-z-]+", option):
                continue
            if option not in self.options[verb]:
                found.append(f'"{verb}" has no option {option}')
            value = value if equals else words[i + 1] if i + 1 < len(words) else ""
            if not re.fullmatch(r"[a-z][a-z.-]*", value):
                continue
            known = self.formats if option == "--from" else self.values.get((verb, option))
            if known and value not in known:
                found.append(f'{option} of "{verb}" has no value {value}')
        return found


def commands(text):
    """The commands in code spans and in indented or fenced lines, without pipes and comments."""
    spans = re.findall(r"`(axle [^`\n]*)`", text) + re.findall(r"^(?: {4,}|\$ )?((?:\S*/)?axle [^\n]*)$", text, re.M)
    for span in spans:
        yield re.split(r" \| | > |  +| # |\(|;|&&|, ", re.sub(r"^\S*/axle", "axle", span))[0].rstrip(".,:")


def missing_paths(text):
    """Files and folders of the tree in code spans that are not there; those of drills are not meant to be."""
    drills = {path for patch in (ROOT / "drill").glob("*.patch") for path in re.findall(r"^\+\+\+ b/(\S+)", patch.read_text(), re.M)}
    for path in re.findall(r"`((?:axle|tools|tests|scripts|drill|bench|python|examples|fuzz|cmake)/[\w/.-]*)`", text):
        # axle/ is a folder of both; a component is named without its suffix.
        exists = any((root / path).exists() or list((root / path).parent.glob(pathlib.Path(path).name + ".*")) for root in (ROOT, ROOT / "python"))
        if not exists and path not in drills and "fft" not in path:  # CONTRIBUTING.md supposes that one were to come
            yield path


def main():
    if not TOOL:
        return 77
    names = Names()
    if len(names.verbs) < 10 or len(names.formats) < 2 or not all(names.values.values()):
        print(f"names: the tool lists too little: {names.verbs} {names.formats} {names.values}")
        return 1
    pages = {str(path.relative_to(ROOT)): path.read_text() for path in
             [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]}
    pages.update({f"axle {verb} -h": tool(verb, "-h") for verb in names.verbs - {"help"}})
    pages["axle help"] = tool("help")
    pages["axle help options"] = tool("help", "options")
    found = looked_at = 0
    for page, text in pages.items():
        if HISTORY.search(page):
            continue
        for command in commands(text):
            looked_at += 1
            for mistake in names.mistakes(command):
                print(f"names: {page}: {command}: {mistake}")
                found += 1
        for path in missing_paths(text):
            print(f"names: {page}: there is no {path}")
            found += 1
    files = [*(ROOT / "tools/axle").glob("*.cc"), ROOT / "axle/client/profile_text.cc"]
    sources = "".join(path.read_text() for path in files)
    reports = set(re.findall(r'NewReport\("([a-z]+)"', sources)) | set(re.findall(r"axle\.([a-z]+)/\d", sources))
    for page, text in pages.items():
        for report in re.findall(r"axle\.([a-z]+)/\d", text):
            if report not in reports and not HISTORY.search(page):
                print(f"names: {page}: there is no report axle.{report}")
                found += 1
    print(f"names: {looked_at} commands in {len(pages)} pages, {found} mistakes")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())

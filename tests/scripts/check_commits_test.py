#!/usr/bin/env python3
"""scripts/check_commits.py on histories made for it."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/check_commits.py"


class Commits(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.repository = pathlib.Path(self._folder.name) / "origin"
        self.repository.mkdir()
        self.clock = 1_700_000_000
        self.git("init", "-q", "-b", "main")

    def tearDown(self):
        self._folder.cleanup()

    def git(self, *arguments, folder=None):
        date = f"{self.clock} +0000"
        environment = {**os.environ, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "GIT_CONFIG_GLOBAL": os.devnull}
        identity = ["-c", "user.name=n", "-c", "user.email=e@example.com"]
        subprocess.run(["git", *identity, *arguments], cwd=folder or self.repository, env=environment, check=True,
                       capture_output=True)

    def commit(self, message, path="axle/ops/a.cc"):
        self.clock += 60
        file = self.repository / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{self.clock}\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def begin(self):
        """The commit with which the rules begin."""
        self.commit("scripts: check commits\n\nWhy.", "scripts/check_commits.py")

    def check(self, *arguments, folder=None):
        done = subprocess.run([sys.executable, SCRIPT, *arguments, folder or self.repository], capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def expect_finding(self, message, text, path="axle/ops/a.cc"):
        self.begin()
        self.commit(message, path)
        code, out = self.check()
        self.assertEqual(code, 1, out)
        self.assertIn(text, out)
        self.assertIn("1 looked at, 1 with findings", out)

    def test_good_commits(self):
        self.begin()
        for message in ("ops: check sizes of slices\n\nThey were not.", "ops, codegen: pass options whole\n\nOne copy less.",
                        "gen: seed each module anew\n\nWhy.", ".ci: compress logs\n\nThey are long.",
                        "text/parse: press on\n\nWhy.\n\nSigned-off-by: N <e@example.com>", 'Revert "ops: adds"\n\nIt was wrong.'):
            self.commit(message)
        self.commit("docs: describe layouts", "docs/layouts.md")  # a document speaks for itself
        code, out = self.check()
        self.assertEqual(code, 0, out)
        self.assertIn("7 looked at, 0 with findings", out)

    def test_long_subject(self):
        self.expect_finding("ops: check " + "x" * 62 + "\n\nWhy.", "73 characters; at most 72")

    def test_longest_subject(self):
        self.begin()
        self.commit("ops: check " + "x" * 61 + "\n\nWhy.")
        self.assertEqual(self.check()[0], 0)

    def test_no_folder(self):
        self.expect_finding("Check sizes\n\nWhy.", "not `folder: what changes`")

    def test_third_person(self):
        self.expect_finding("ops: adds sizes\n\nWhy.", '"adds" is no imperative')

    def test_past(self):
        self.expect_finding("ops: added sizes\n\nWhy.", '"added" is no imperative')

    def test_gerund(self):
        self.expect_finding("ops: adding sizes\n\nWhy.", '"adding" is no imperative')

    def test_noun_phrase(self):
        self.expect_finding("ops: the sizes of slices are checked\n\nWhy.", '"the" is no imperative')

    def test_number(self):
        self.expect_finding("ci: 4 minutes\n\nWhy.", '"4" is no imperative')

    def test_no_body(self):
        self.expect_finding("ops: check sizes", "no body")

    def test_body_of_trailers(self):
        self.expect_finding("ops: check sizes\n\nSigned-off-by: N <e@example.com>", "no body")

    def test_old_history_is_not_judged(self):
        self.commit("Added things")
        self.begin()
        self.assertEqual(self.check()[0], 0)

    def test_merged_older_work_is_not_judged(self):
        self.commit("Added things")
        self.git("checkout", "-q", "-b", "beside")
        self.commit("Other things", "b")
        self.git("checkout", "-q", "main")
        self.begin()
        self.git("merge", "-q", "--no-ff", "-m", "Merge: things", "beside")
        code, out = self.check()
        self.assertEqual(code, 0, out)

    def test_merged_newer_work_is_judged_and_merges_are_not(self):
        self.begin()
        self.git("checkout", "-q", "-b", "beside")
        self.commit("Other things", "b")
        self.git("checkout", "-q", "main")
        self.git("merge", "-q", "--no-ff", "-m", "Merge: things", "beside")
        code, out = self.check()
        self.assertEqual(code, 1, out)
        self.assertIn("1 looked at, 1 with findings", out)

    def test_only_the_last(self):
        self.begin()
        self.commit("Old words")
        self.commit("ops: check sizes\n\nWhy.")
        self.assertEqual(self.check("--last", "1")[0], 0)
        self.assertEqual(self.check("--last", "2")[0], 1)

    def test_shallow_clone(self):
        self.begin()
        self.commit("Old words")
        self.commit("ops: check sizes\n\nWhy.")
        shallow = self.repository.parent / "shallow"
        for depth, code in (("1", 0), ("2", 0), ("3", 1)):
            self.git("clone", "-q", "--depth", depth, f"file://{self.repository}", str(shallow / depth), folder="/")
            got, out = self.check(folder=shallow / depth)
            self.assertEqual(got, code, f"depth {depth}: {out}")

    def test_no_history(self):
        code, out = self.check()
        self.assertEqual(code, 0)
        self.assertIn("no history", out)
        self.begin()
        plain = self.repository.parent / "plain"
        plain.mkdir()
        self.assertEqual(self.check(folder=plain)[0], 0)


if __name__ == "__main__":
    unittest.main()

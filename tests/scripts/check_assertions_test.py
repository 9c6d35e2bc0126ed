#!/usr/bin/env python3
"""scripts/check_assertions.py on sources made for it."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import check_assertions  # noqa: E402


class Assertions(unittest.TestCase):
    def silent(self, *sources):
        with tempfile.TemporaryDirectory() as folder:
            for i, source in enumerate(sources):
                (pathlib.Path(folder) / f"{i}_test.cc").write_text(source)
            found, _ = check_assertions.silent_tests(pathlib.Path(folder))
            return [name for _, _, name in found]

    def test_no_assertion(self):
        self.assertEqual(self.silent("TEST(A, B) {\n  (void)Run();\n}\n"), ["A.B"])

    def test_assertion(self):
        for body in ("EXPECT_EQ(1, f());", "ASSERT_TRUE(f());", "if (!f()) FAIL();", "SUCCEED() << \"ends\";"):
            self.assertEqual(self.silent(f"TEST(A, B) {{\n  {body}\n}}\n"), [])

    def test_comments_and_texts_do_not_assert(self):
        self.assertEqual(self.silent('TEST(A, B) {\n  f("EXPECT_EQ(1, 1)");  // EXPECT_TRUE(x)\n  /* FAIL() */\n}\n'), ["A.B"])

    def test_helpers_through_helpers_of_other_files(self):
        helpers = ("template <typename T>\nvoid CheckAll(T f, std::function<int()> g = [] { return 1; }) {\n  ExpectOne(f);\n}\n"
                   "static void ExpectOne(int x) {\n  EXPECT_EQ(x, 1);\n}\n")
        self.assertEqual(self.silent(helpers, "TEST_F(A, B) {\n  CheckAll<int>(1);\n}\n"), [])

    def test_a_declaration_is_no_helper(self):
        self.assertEqual(self.silent("void Check(int x);\nTEST(A, C) { EXPECT_TRUE(1); }\n", "TEST(A, B) {\n  Check(1);\n}\n"), ["A.B"])

    def test_setting_up_is_not_testing(self):
        helper = "std::string Data() {\n  EXPECT_TRUE(f());\n  return g();\n}\n"
        self.assertEqual(self.silent(helper + "TEST(A, B) {\n  (void)Read(Data());\n}\n"), ["A.B"])

    def test_lambdas_and_macros(self):
        self.assertEqual(self.silent("#define CHECK_ONE(x) \\\n  EXPECT_EQ(x, 1)\nTEST(A, B) {\n  CHECK_ONE(f());\n}\n"), [])
        self.assertEqual(self.silent("TEST(A, B) {\n  const auto check = [&](int x) { EXPECT_EQ(x, 1); };\n  check(f());\n}\n"), [])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Says which tests cannot fail: bodies of TEST, TEST_F, TEST_P without EXPECT_, ASSERT_, FAIL or SUCCEED, their own or
those of a function that they call, through any number of functions of the tests. Exits 1 if there is one.

Functions are known by their names alone, from all of tests/. Those that return a value, a bool excepted, do not
count: what they expect is that the test could be set up. A test that has to end without a crash and nothing else
says so with SUCCEED() and a reason.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ASSERTION = re.compile(r"\b(EXPECT_|ASSERT_|ADD_FAILURE|FAIL\(|SUCCEED\(|GTEST_FAIL)")
TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(([^)]*)\)\s*\{", re.M)
# The beginning of a function that returns nothing or a bool, and of a lambda with a name.
FUNCTION = re.compile(r"^\s*(?:static |inline |virtual |constexpr )*(?:void|bool|(?:::)?testing::AssertionResult)\s+(?:\w+::)*(\w+)\(", re.M)
LAMBDA = re.compile(r"\b(\w+)\s*=\s*\[[^\]]*\]\s*(?:\([^{};]*\))?\s*(?:mutable|\s)*(?:->\s*[\w:<>,&*\s]+)?\{")
MACRO = re.compile(r"^#define\s+(\w+)\([^)]*\)((?:.*\\\n)*.*)$", re.M)
CALL = re.compile(r"\b([A-Za-z_]\w*)\s*(?:<[^;(){}]*>)?\s*[({]")


def without_text(source):
    """The source with comments and the inside of literals blanked, of the same length."""
    pattern = r'R"(\w*)\((?:.|\n)*?\)\1"|//[^\n]*|/\*(?:.|\n)*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m[0]), source)


def enclosed(source, begin):
    """The text from the bracket at `begin` to the one that closes it."""
    depth = 0
    for match in re.compile(r"[(){}]").finditer(source, begin):
        depth += 1 if match[0] in "({" else -1
        if depth == 0:
            return source[begin:match.end()]
    return source[begin:]


def read(folder):
    """Returns the tests, as (file, line, name, body), and {function: its bodies}."""
    tests, functions = [], {}
    for path in sorted([*folder.rglob("*.cc"), *folder.rglob("*.h")]):
        source = without_text(path.read_text())
        for match in TEST.finditer(source):
            line = source.count("\n", 0, match.start()) + 1
            tests.append((path, line, re.sub(r"\s*,\s*", ".", match[1]), enclosed(source, match.end() - 1)))
        for match in LAMBDA.finditer(source):
            functions.setdefault(match[1], []).append(enclosed(source, match.end() - 1))
        for match in FUNCTION.finditer(source):
            end = match.end() - 1 + len(enclosed(source, match.end() - 1))
            if brace := re.compile(r"[^;{}]*\{").match(source, end):  # else it is declared only
                functions.setdefault(match[1], []).append(enclosed(source, brace.end() - 1))
        for match in MACRO.finditer(source):
            functions.setdefault(match[1], []).append(match[2])
    return tests, functions


def asserting(functions):
    """The names of functions that assert, themselves or through others."""
    calls = {name: {call for body in bodies for call in CALL.findall(body)} for name, bodies in functions.items()}
    callers = {}
    for name, called in calls.items():
        for other in called:
            callers.setdefault(other, []).append(name)
    found = [name for name, bodies in functions.items() if any(ASSERTION.search(body) for body in bodies)]
    known = set(found)
    while found:
        for caller in callers.get(found.pop(), []):
            if caller not in known:
                known.add(caller)
                found.append(caller)
    return known


def silent_tests(folder):
    tests, functions = read(folder)
    known = asserting(functions)
    return [(path, line, name) for path, line, name, body in tests
            if not ASSERTION.search(body) and not known.intersection(CALL.findall(body))], len(tests)


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "tests"
    found, total = silent_tests(folder)
    for path, line, name in found:
        print(f"{path}:{line}: {name} asserts nothing, so that it cannot fail")
    print(f"assertions: {total} tests, {len(found)} without any")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())

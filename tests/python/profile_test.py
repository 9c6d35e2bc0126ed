#!/usr/bin/env python3
"""Profiles of runs from Python."""

import json
import unittest

import axle_module  # noqa: F401  goes on in the Python that has numpy

import axle  # isort: skip
import numpy as np  # isort: skip

NET = """HloModule net
ENTRY main {
  x = f32[128,128] parameter(0)
  d = f32[128,128] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={source_file="net.py" source_line=7}
  ROOT t = f32[128,128] tanh(d)
}
"""


class Profiles(unittest.TestCase):
    def setUp(self):
        self.exe = axle.compile(NET)
        self.x = np.linspace(0, 0.01, 128 * 128, dtype=np.float32).reshape(128, 128)

    def test_report(self):
        profile = axle.Profile()
        plain = self.exe(self.x)
        for _ in range(3):
            np.testing.assert_array_equal(self.exe(self.x, profile=profile), plain)
        (program,) = profile.report()["programs"]
        self.assertEqual((program["name"], program["runs"], program["device"]), ("net", 3, 0))
        (dot,) = [record for record in program["records"] if record["name"] == "d"]
        self.assertEqual(dot["turns"], 3)
        self.assertEqual(dot["flops"], 2 * 128**3)
        self.assertEqual(dot["sources"], ["net.py:7"])
        self.assertTrue(str(profile).startswith('profile of "net": 3 runs, '), str(profile))

    def test_every_way_to_run(self):
        profile = axle.Profile()
        self.exe(self.x, profile=profile, time_limit=60)
        buffer = axle.put(self.x)
        self.exe.execute(buffer, profile=profile)
        self.exe.execute_replicated([[self.x]], profile=profile)
        self.assertEqual(profile.report()["programs"][0]["runs"], 3)

    def test_trace(self):
        profile = axle.Profile(max_events=100)
        self.exe(self.x, profile=profile)
        events = json.loads(profile.trace())
        self.assertIn("d", [event["name"] for event in events if event["ph"] == "X"])

    def test_errors(self):
        for wrong in (-1, "x", 2**63):
            with self.assertRaises(axle.AxleError) as raised:
                axle.Profile(max_events=wrong)
            self.assertEqual(
                str(raised.exception), f"INVALID_ARGUMENT: max_events is {wrong!r}, must be a whole number from 0"
            )
        with self.assertRaises(axle.AxleError) as raised:
            self.exe(self.x, profile=True)
        self.assertEqual(
            str(raised.exception), "INVALID_ARGUMENT: profile is True, must be None or an axle.Profile"
        )


if __name__ == "__main__":
    unittest.main()

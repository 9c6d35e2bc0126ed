#!/usr/bin/env python3
"""Infeed, outfeed and channels from Python: fed before, taken afterwards, and never waited for."""

import unittest

import axle_module  # noqa: F401  goes on in the Python that has numpy

import axle  # isort: skip
import numpy as np  # isort: skip

FEEDS = """HloModule feeds
ENTRY e {
  t = token[] after-all()
  i = ((f32[2], s32[]), token[]) infeed(t)
  v = (f32[2], s32[]) get-tuple-element(i), index=0
  t1 = token[] get-tuple-element(i), index=1
  r = (bf16[2], u32[], token[]) recv(t1), channel_id=1, is_host_transfer=true
  d = (bf16[2], token[]) recv-done(r), channel_id=1, is_host_transfer=true
  x = bf16[2] get-tuple-element(d), index=0
  t2 = token[] get-tuple-element(d), index=1
  s = (bf16[2], u32[], token[]) send(x, t2), channel_id=2, is_host_transfer=true
  sd = token[] send-done(s), channel_id=2, is_host_transfer=true
  o = token[] outfeed(v, sd), outfeed_shape=(f32[2], s32[])
  ROOT w = f32[2] get-tuple-element(v), index=0
}
"""
RECV = """HloModule takes
ENTRY e {
  t = token[] after-all()
  r = (f32[], u32[], token[]) recv(t), channel_id=71
  d = (f32[], token[]) recv-done(r), channel_id=71
  ROOT x = f32[] get-tuple-element(d), index=0
}
"""


class Transfers(unittest.TestCase):
    def refused(self, text, function, *arguments):
        with self.assertRaises(axle.AxleError) as caught:
            function(*arguments)
        self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")
        self.assertIn(text, caught.exception.message)

    def test_all_ways(self):
        pair = np.float32([1, 2]), np.int32(3)
        array = np.arange(2).astype(axle.Shape("bf16").dtype)
        for engine in ("interpret", "default"):
            exe = axle.compile(FEEDS, engine=engine)
            self.refused("infeed: (f32[2], s32[]) is asked for, and the queue has 0 arrays", exe)
            axle.to_infeed(*pair)
            self.refused("recv: nothing is left in channel 1", exe)
            axle.to_infeed(*pair)
            axle.to_channel(1, array)
            np.testing.assert_array_equal(exe(), pair[0])
            np.testing.assert_array_equal(axle.from_channel(2, "bf16[2]"), array)
            taken = axle.from_outfeed("f32[2]", "s32[]")
            np.testing.assert_array_equal(taken[0], pair[0])
            self.assertEqual(taken[1].tolist(), 3)
            self.refused("outfeed: (f32[2], s32[]) is asked for", axle.from_outfeed, "f32[2]", "s32[]")
            self.refused("recv: nothing is left in channel 2", axle.from_channel, 2, "bf16[2]")

    def test_a_recv_that_nobody_sends_to(self):
        self.refused("no program sends to channel 71", axle.compile(RECV))

    def test_what_is_no_array(self):
        self.refused("value 0 is a int, must be an array", axle.to_infeed, 3)
        self.refused("takes arrays of static sizes", axle.from_outfeed, "f32[<=2]")
        self.refused("there are no values", axle.to_infeed)
        for channel in ("7", 1.0, -1, True):
            self.refused("a channel is a number, 0 or above", axle.to_channel, channel, np.ones(2))
            self.refused("a channel is a number, 0 or above", axle.from_channel, channel, "f32[2]")


if __name__ == "__main__":
    unittest.main()

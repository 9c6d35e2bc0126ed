#!/usr/bin/env python3
"""axle.Builder: programs without text."""

import gc
import keyword
import re
import sys
import unittest

import axle_module  # noqa: F401  goes on in the Python that has numpy

import axle  # isort: skip
import numpy as np  # isort: skip

X = np.arange(1, 25, dtype=np.float32).reshape(2, 3, 4)


def run(function, *arrays, engine="interpret"):
    """The results of a program that a function of ops builds."""
    b = axle.Builder("test")
    ops = []
    for array in arrays:
        type = axle.put(array).shape.type
        ops.append(b.parameter(f"{type}[{','.join(map(str, np.shape(array)))}]"))
    return b.compile(function(*ops), engine=engine)(*arrays)


class Operators(unittest.TestCase):
    def assert_same(self, function, *arrays):
        """The function gives for Ops what it gives for numpy's arrays."""
        found, expected = run(function, *arrays), function(*arrays)
        np.testing.assert_array_equal(found, expected)
        self.assertEqual((found.dtype, found.shape), (np.asarray(expected).dtype, np.shape(expected)))

    def test_arithmetic(self):
        y = np.float32([2, 0.5, 4, 8])
        for function in (
            lambda x, y: x + y,
            lambda x, y: y - x,
            lambda x, y: x * y,
            lambda x, y: x / y,
            lambda x, y: x % y,
            lambda x, y: 3 - x,
            lambda x, y: 2.5 * x,
            lambda x, y: 1 / x,
            lambda x, y: 7 % x,
            lambda x, y: -x,
            lambda x, y: abs(-x),
            lambda x, y: +x,
            lambda x, y: np.float32([1, 2, 3, 4]) - x,
            lambda x, y: x < y,
            lambda x, y: x <= 2,
            lambda x, y: x > y,
            lambda x, y: x >= y,
            lambda x, y: x == y,
            lambda x, y: x != y,
        ):
            self.assert_same(function, X, y)
        np.testing.assert_allclose(run(lambda x: x**2, X), X**2)
        np.testing.assert_allclose(run(lambda x: 2**x, X), 2**X, rtol=1e-5)

    def test_integers(self):
        a, b = np.int32([12, -7, 5]), np.int32([3, 2, 1])
        for function in (
            lambda a, b: a & b,
            lambda a, b: a | b,
            lambda a, b: a ^ b,
            lambda a, b: ~a,
            lambda a, b: a << b,
            lambda a, b: a >> b,
            lambda a, b: 1 << b,
            lambda a, b: 64 >> b,
            lambda a, b: 6 ^ a,
        ):
            self.assert_same(function, a, b)
        u = np.uint8([200, 7])
        self.assert_same(lambda u: u >> 1, u)
        self.assertEqual(run(lambda a, b: a / b, a, b).tolist(), [4, -3, 5])
        self.assertEqual(run(lambda a, b: a % b, a, b).tolist(), [0, -1, 0])

    def test_broadcasting(self):
        for a, b in (((2, 3, 4), (3, 1)), ((4,), (2, 3, 4)), ((2, 1, 4), (1, 3, 1)), ((), (3,)), ((1,), (5,))):
            x, y = (np.random.random_sample(dims).astype("f4") if dims else np.float32(3) for dims in (a, b))
            self.assert_same(lambda x, y: x - y, np.asarray(x), np.asarray(y))
        with self.assertRaisesRegex(axle.AxleError, r"add: f32\[2\] and f32\[3\] cannot be broadcast"):
            run(lambda x, y: x + y, X[0, 0, :2], X[0, 0, :3])

    def test_matrices(self):
        for a, b in (((2, 3), (3, 4)), ((3,), (3, 4)), ((2, 3), (3,)), ((3,), (3,)), ((5, 2, 3), (5, 3, 4))):
            self.assert_same(lambda x, y: x @ y, np.ones(a, np.float32), np.full(b, 2, np.float32))
        self.assert_same(lambda x: x @ np.ones((4, 2), np.float32), np.ones((2, 4), np.float32))
        self.assert_same(lambda x: np.ones((4, 2), np.float32) @ x, np.ones((2, 4), np.float32))

    def test_indices(self):
        for function in (
            lambda x: x[0],
            lambda x: x[-1, 2],
            lambda x: x[1, 2, 3],
            lambda x: x[:, 1:],
            lambda x: x[..., 1],
            lambda x: x[..., ::-1],
            lambda x: x[::-1, 2:0:-1, 3::-2],
            lambda x: x[:, None, 1:1],
            lambda x: x[None, ..., None],
            lambda x: x[:, :, 1:4:2],
            lambda x: x[5:],
            lambda x: x.T,
            lambda x: x[:, np.int64(1)],
        ):
            self.assert_same(function, X)
        i = np.int32(1)
        np.testing.assert_array_equal(run(lambda x, i: x[i, 1:, i], X, i), X[1, 1:, 1])
        np.testing.assert_array_equal(run(lambda x, i: x[:, i], X, np.int32(99)), X[:, 2])  # clamped
        np.testing.assert_array_equal(run(lambda x: [row * 2 for row in x], X)[1], X[1] * 2)
        for wrong in ((2,), (0, 0, 0, 0), (..., ...), (0, -4)):
            with self.assertRaises(IndexError):
                run(lambda x: x[wrong], X)

    def test_conversions(self):
        self.assertEqual(run(lambda x: x.astype("s32") + 1, X).dtype, np.int32)
        self.assertEqual(run(lambda x: x.astype(np.float64), X).dtype, np.float64)
        self.assertEqual(run(lambda x: x.astype("bfloat16").astype("f32"), X).dtype, np.float32)
        self.assertEqual(run(lambda x: x.reshape([4, 6]), X).shape, (4, 6))
        self.assertEqual(run(lambda x: x.reshape(4, 6), X).shape, (4, 6))
        self.assertEqual(run(lambda x: x.reshape(24), X).shape, (24,))
        self.assertEqual(run(lambda x: x.reshape(()), X[:1, 0, 0]).shape, ())

    def test_values_are_not_known(self):
        b = axle.Builder("b")
        x = b.parameter("f32[2]")
        with self.assertRaisesRegex(TypeError, "not known before the program runs"):
            if x > 1:
                pass
        self.assertEqual(repr(x), "<axle.Op f32[2]>")
        self.assertEqual(len({x, x}), 1)


class Operations(unittest.TestCase):
    def test_numbers_take_the_type_that_is_needed(self):
        b = axle.Builder("b")
        p, x, h = b.parameter("pred[2]"), b.parameter("f32[2,3]"), b.parameter("f16[2]")
        i, u = b.parameter("s64[]"), b.parameter("u8[]")
        q, n = b.parameter("pred[]"), b.parameter("s32[2,3]")
        f, m = b.parameter("f32[]"), b.parameter("bf16[]")
        zeros = np.zeros(2, np.float16)
        self.assertEqual(str(b.select(p, h, zeros).shape), "f16[2]")
        self.assertEqual(str(b.select(p, zeros, h).shape), "f16[2]")
        self.assertEqual(str(b.select(q, m, 0).shape), "bf16[]")
        self.assertEqual(str(b.select(q, 0, m).shape), "bf16[]")
        self.assertEqual(str(b.select(True, m, 1).shape), "bf16[]")
        self.assertEqual(str(b.select(p, h, 0).shape), "f16[2]")
        self.assertEqual(str(b.select(p, 0, h).shape), "f16[2]")
        self.assertEqual(str(b.select(p, 1, 0).shape), "s32[2]")
        self.assertEqual(str(b.select(p, zeros, 0).shape), "f16[2]")
        self.assertEqual(str(b.select(p, 2.5, 0).shape), "f32[2]")
        self.assertEqual(str(b.select(q, 0, 2.5).shape), "f32[]")
        self.assertEqual(str(b.clamp(0, h, 6).shape), "f16[2]")
        self.assertEqual(str(b.pad(x, 0, padding="1_0x0_0").shape), "f32[3,3]")
        sizes = {"dynamic_slice_sizes": [1, 1]}
        self.assertEqual(str(b.dynamic_slice(x, 0, 1, **sizes).shape), "f32[1,1]")
        self.assertEqual(str(b.dynamic_slice(x, i, 1, **sizes).shape), "f32[1,1]")
        self.assertEqual(str(b.dynamic_slice(x, 1, u, **sizes).shape), "f32[1,1]")
        self.assertEqual(str(b.dynamic_update_slice(x, b.slice(x, slice="{[0:1], [0:2]}"), 0, 1).shape), "f32[2,3]")
        self.assertEqual(str(b.set_dimension_size(x, 1, dimensions=[0], shape="f32[<=2,3]").shape), "f32[<=2,3]")
        rows = b.gather(x, [[1], [0]], offset_dims=[1], collapsed_slice_dims=[0], start_index_map=[0],
                        index_vector_dim=1, slice_sizes=[1, 3])
        self.assertEqual(str(rows.shape), "f32[2,3]")
        both = axle.computation(lambda x, n, y, k: (x + y, n + k), "f32[]", "s32[]", "f32[]", "s32[]")
        self.assertEqual(str(b.reduce(x, n, 0, 0, dimensions=[0], to_apply=both).shape), "(f32[3], s32[3])")
        self.assertEqual(str(b.reduce([x, n], 0, 0, dimensions=[0], to_apply=both).shape), "(f32[3], s32[3])")
        one = axle.computation(lambda x: x + 1, "f32[]")
        self.assertEqual(str(b.conditional(1, f, 0, branch_computations=[one, one]).shape), "f32[]")
        self.assertEqual(str(b.conditional(2, f, 0, 1, branch_computations=[one, one, one]).shape), "f32[]")
        self.assertEqual(str(b.conditional(True, f, 0, branch_computations=[one, one]).shape), "f32[]")

    def test_ops_of_a_built_program(self):
        self.assertEqual(axle.Builder(3).name, "3")
        b = axle.Builder("done")
        x = b.parameter("f32[2]")
        b.build(x)
        for use in (lambda: x + 1, lambda: b.tanh(x), lambda: b.build(x), lambda: x[0]):
            with self.assertRaisesRegex(axle.AxleError, "of a program that builder 'done' has built; the builder is emp"):
                use()
        self.assertEqual(b.compile(b.parameter("f32[]") + 1)(2), 3)

    def test_what_is_no_index(self):
        for index in (X > 1, [1, 0], np.array([1, 0]), 1.5, "x", True):
            with self.assertRaisesRegex(axle.AxleError, "an index is an integer, a slice, .*, not a "):
                run(lambda x: x[index], X)
        for function in (lambda x: x[x > 1], lambda x: x[x[0, 0, 0]], lambda x: x[x.astype("s32")]):
            with self.assertRaisesRegex(axle.AxleError, r"Op of one integer, not (pred|f32|s32)\["):
                run(function, X)

    def test_numbers_in_select(self):
        x = np.float32([-1, 0, 3])
        np.testing.assert_array_equal(run(lambda x: x.builder.select(x > 0, x, 0), x), np.maximum(x, 0))
        np.testing.assert_array_equal(run(lambda x: x.builder.select(x > 0, 1, 0.5), x), np.where(x > 0, 1, 0.5))
        with self.assertRaisesRegex(axle.AxleError, "300 is out of the range of u8"):
            run(lambda x: x.builder.select(x > 0, x.astype("u8"), 300), x)

    def test_lists_of_ops(self):
        def builder():
            b = axle.Builder("b")
            return b, b.parameter("f32[2]"), b.parameter("f32[2]")

        b, x, y = builder()
        self.assertEqual(str(b.concatenate([x, y], dimensions=[0]).shape), "f32[4]")
        self.assertEqual(str(b.tuple([x, y]).shape), "(f32[2], f32[2])")
        self.assertEqual(str(b.tuple(x, b.tuple(x, y)).shape), "(f32[2], (f32[2], f32[2]))")
        self.assertEqual(str(b.build([x, b.tuple(y)]).output_shape), "(f32[2], (f32[2]))")
        for nested in (
            lambda b, x, y: b.build([[x, y], x]),
            lambda b, x, y: b.build((x, (y,))),
            lambda b, x, y: b.build([x, [[y]]]),
            lambda b, x, y: b.tuple([x, y], x),
            lambda b, x, y: b.tuple([x, [y]]),
            lambda b, x, y: b.concatenate([[x, y]], dimensions=[0]),
            lambda b, x, y: b.concatenate([x, [y, 1]], dimensions=[0]),
            lambda b, x, y: x + [y],
            lambda b, x, y: x + [[y]],
        ):
            with self.assertRaisesRegex(axle.AxleError, "lists of Ops are not nested here"):
                nested(*builder())

    def test_names_come_from_the_op_table(self):
        b = axle.Builder("b")
        names = set(dir(b))
        for name in "add reduce_window while_ and_ or_ not_ get_tuple_element parameter build".split():
            self.assertIn(name, names)
        self.assertFalse([name for name in names if keyword.iskeyword(name)])
        self.assertIn("keywords: window, to_apply", b.reduce_window.__doc__)
        self.assertIn("shape", b.iota.__doc__)
        with self.assertRaisesRegex(AttributeError, "'no_such_op' is neither an operation nor a method"):
            b.no_such_op

    def test_attributes(self):
        def everything(x):
            b = x.builder
            add = axle.computation(lambda x, y: x + y, "f32[]", "f32[]")
            less = axle.computation(lambda x, y: x > y, "f32[]", "f32[]")
            return [
                b.reduce(x, 0, dimensions=[1, 2], to_apply=add),
                b.reduce_window(x, 0.0, window="{size=1x2x2}", to_apply=add),
                b.transpose(x, dimensions=(2, 0, 1)),
                b.slice(x, slice=[slice(0, 1), slice(1, 3), slice(0, 4, 2)]),
                b.sort(x, dimensions=[2], is_stable=True, to_apply=less),
                b.iota(shape="s32[2,3]", iota_dimension=np.int64(1)),
                b.pad(x, 9.0, padding="0_0x1_0x0_1"),
                b.concatenate([x, x], dimensions=[0]),
                b.clamp(2.0, x, 5.0),
                b.op("reduce-precision", x, exponent_bits=8, mantissa_bits=1),
            ]

        found = run(everything, X)
        windows = np.lib.stride_tricks.sliding_window_view(X, (1, 2, 2)).sum((3, 4, 5))
        padded = np.pad(X, [(0, 0), (1, 0), (0, 1)], constant_values=9)
        expected = [
            X.sum((1, 2)), windows, X.transpose(2, 0, 1), X[:1, 1:3, ::2], -np.sort(-X, 2),
            np.broadcast_to(np.arange(3), (2, 3)), padded, np.concatenate([X, X]), X.clip(2, 5),
        ]
        for a, b in zip(found, expected):
            np.testing.assert_array_equal(a, b)

    def test_control_flow(self):
        for engine in ("native", "interpret"):
            less = axle.computation(lambda t: t[0] < 10, "(s32[], s32[])")

            def body(t):
                i, total = t
                return i + 1, total + i

            add_up = axle.computation(body, "(s32[], s32[])")
            loop = lambda i, s: i.builder.while_(i.builder.tuple(i, s), condition=less, body=add_up)  # noqa: E731
            self.assertEqual([int(v) for v in run(loop, np.int32(0), np.int32(0), engine=engine)], [10, 45])
            branches = [axle.computation(f, "f32[]") for f in (lambda x: x + 1, lambda x: x * 10, lambda x: -x)]
            choose = lambda i, x: x.builder.conditional(i, x, x, x, branch_computations=branches)  # noqa: E731
            chosen = [float(run(choose, np.int32(k), np.float32(3), engine=engine)) for k in range(3)]
            self.assertEqual(chosen, [4, 30, -3])
            double = axle.computation(lambda x: x * 2, "f32[]")
            np.testing.assert_array_equal(
                run(lambda x: x.builder.map(x, dimensions=[0], to_apply=double), X[0, 0], engine=engine), X[0, 0] * 2
            )

    def test_strings_are_quoted(self):
        b = axle.Builder("b")
        x = b.parameter("f32[2]")
        call = b.custom_call(x, custom_call_target='a"b', shape="f32[2]")
        self.assertIn('custom_call_target="a\\"b"', b.build(call).to_text())

    def test_constants(self):
        b = axle.Builder("c")
        self.assertEqual(
            [str(b.constant(value).shape) for value in (1, 1.5, True, 1j, [[1, 2]], np.float64(1), np.zeros((2, 0)))],
            ["s32[]", "f32[]", "pred[]", "c64[]", "s32[1,2]", "f64[]", "f64[2,0]"],
        )
        self.assertEqual(str(b.constant([1, 2], "bf16").shape), "bf16[2]")
        array = np.arange(6, dtype=">i4").reshape(2, 3).T
        np.testing.assert_array_equal(b.compile(b.constant(array))(), array)
        with self.assertRaisesRegex(axle.AxleError, "300 is out of the range of u8"):
            run(lambda x: x + 300, np.uint8([1]))

    def test_modules(self):
        b = axle.Builder("pair")
        x = b.parameter("f32[2]", name="x")
        module = b.build((x, -x))
        self.assertEqual((module.name, str(module.output_shape)), ("pair", "(f32[2], f32[2])"))
        self.assertIn("parameter(0)", module.to_text())
        self.assertEqual([a.tolist() for a in axle.compile(module)([1, 2])], [[1, 2], [-1, -2]])
        y = b.parameter("f32[]")  # the builder can be used again
        self.assertEqual(b.compile(y + 1, numerics="fast")(1), 2)


class Documentation(unittest.TestCase):
    def test_example(self):
        text = (axle_module.ROOT / "docs" / "python.md").read_text()
        (example,) = re.findall(r"## Building a program\n\n```python\n(.*?)```", text, re.DOTALL)
        names = {}
        exec(example, names)
        self.assertEqual((names["total"], names["column"].tolist()), (8, [-1] * 4))


class Errors(unittest.TestCase):
    def test_place(self):
        b = axle.Builder("b")
        x, y = b.parameter("f32[4]"), b.parameter("f32[5]")
        with self.assertRaisesRegex(axle.AxleError, "operands must have the same dimensions") as caught:
            b.add(x, y); line = sys._getframe().f_lineno  # noqa: E702
        line = sys._getframe().f_lineno - 1
        self.assertEqual((caught.exception.code, caught.exception.file), ("INVALID_ARGUMENT", __file__))
        self.assertEqual(caught.exception.line, line)

    def test_operator_place(self):
        b = axle.Builder("b")
        x = b.parameter("f32[4]")
        with self.assertRaisesRegex(axle.AxleError, "not") as caught:
            ~x
        line = sys._getframe().f_lineno - 1
        self.assertEqual((caught.exception.file, caught.exception.line), (__file__, line))

    def test_mistakes(self):
        for pattern, function in (
            ("did you mean", lambda x: x.builder.op("redduce", x)),
            ("dimension", lambda x: x.builder.transpose(x, dimension=[0, 1, 2])),
            ("the shape of the result must be given", lambda x: x.builder.iota(iota_dimension=0)),
            ("to_apply is a function, must be a Module", lambda x: x.builder.map(x, to_apply=lambda y: y)),
            ("of builder 'other'", lambda x: x + axle.Builder("other").parameter("f32[]")),
            ("astype is for arrays", lambda x: x.builder.tuple(x, x).astype("f32")),
        ):
            with self.assertRaisesRegex(axle.AxleError, pattern):
                run(function, X)

    def test_memory(self):
        """Shapes and modules that nobody holds any more are gone when they should be, and not before."""
        for _ in range(50):
            b = axle.Builder("b")
            op = b.parameter("(f32[2], s32[])")
            gc.collect()
            self.assertEqual(str(op[0].shape), "f32[2]")


if __name__ == "__main__":
    unittest.main()

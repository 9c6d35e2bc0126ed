"""The process of a side, Axle's or a peer's, as compare/worker.py is that of Axle or XLA: worker.py SIDE THREADS CPUS OPTIONS.

The numbers of threads of BLAS and OpenMP are in the environment before this starts; compare_peers.py sets them.
"""

import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402

from compare import programs, worker  # noqa: E402


class Numpy:
    def __init__(self, threads, options):
        from peers import numpy_rows

        self.functions = numpy_rows.FUNCTIONS

    def versions(self):
        import scipy

        return {"numpy": np.__version__, "scipy": scipy.__version__}

    def put(self, array):
        return array

    def compile(self, program):
        return self.functions[program.id]

    def call(self, function, arguments):
        results = function(*arguments)
        return results if isinstance(results, (tuple, list)) else [results]

    def wait(self, results):
        pass

    def numpy(self, result):
        return np.asarray(result)


class Torch:
    """Eager, or with torch.compile."""

    def __init__(self, threads, options):
        import torch

        from peers import torch_rows

        torch.set_num_threads(threads)
        torch.set_num_interop_threads(1)
        torch.set_grad_enabled(False)  # as everyone does who only wants a result; a row with gradients asks for them
        self.torch, self.functions, self.compiled = torch, torch_rows.FUNCTIONS, options["compiled"]

    def versions(self):
        return {"torch": self.torch.__version__}

    def put(self, array):
        if array.dtype == ml_dtypes.bfloat16:
            return self.torch.from_numpy(array.view(np.int16)).view(self.torch.bfloat16)
        return self.torch.from_numpy(array)

    def compile(self, program):
        function = self.functions[program.id]
        if not self.compiled:
            return function
        self.torch.compiler.reset()
        return self.torch.compile(lambda *arguments: function(*arguments), fullgraph=True, dynamic=False)

    def call(self, function, arguments):
        results = function(*arguments)
        return results if isinstance(results, (tuple, list)) else [results]

    def wait(self, results):
        pass

    def numpy(self, result):
        if result.dtype == self.torch.bfloat16:
            return result.contiguous().view(self.torch.int16).numpy().view(ml_dtypes.bfloat16)
        return result.resolve_conj().numpy()


class Onnx:
    """A session with arguments and results bound once; complex arrays are arrays of pairs."""

    def __init__(self, threads, options):
        import onnxruntime

        from peers import onnx_graph, onnx_rows

        self.runtime, self.graph, self.functions, self.threads = onnxruntime, onnx_graph, onnx_rows.FUNCTIONS, threads

    def versions(self):
        return {"onnxruntime": self.runtime.__version__}

    def put(self, array):
        if array.dtype == np.complex64:
            array = array.view(np.float32).reshape(*array.shape, 2)
        return self.runtime.OrtValue.ortvalue_from_numpy(array)

    def compile(self, program):
        result_types = program.text().split("->", 1)[1].split("\n", 1)[0]
        self.complex = "c64" in result_types
        inputs = []
        for number, (shape, _) in enumerate(program.inputs):
            dtype, dims = programs.shape_of(shape)
            inputs.append((f"x{number}", *((np.dtype(np.float32), (*dims, 2)) if dtype == np.complex64 else (dtype, dims))))
        model = self.graph.model_of(self.functions[program.id], inputs)
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = self.threads, 1
        options.log_severity_level = 3
        session = self.runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return Bound(session, bool(program.donated))

    def call(self, bound, arguments):
        return bound(arguments)

    def wait(self, results):
        pass

    def numpy(self, result):
        array = result.numpy()
        return np.ascontiguousarray(array).view(np.complex64)[..., 0] if self.complex else array


class Bound:
    """A session and where its arguments are. If results become arguments they are bound anew for each call."""

    def __init__(self, session, changing):
        self._session, self._changing, self._arguments = session, changing, None
        self._binding = session.io_binding()

    def __call__(self, arguments):
        if self._changing or arguments is not self._arguments:
            self._arguments = arguments
            for number, value in enumerate(arguments):
                self._binding.bind_ortvalue_input(f"x{number}", value)
            self._binding.clear_binding_outputs()
            for output in self._session.get_outputs():
                self._binding.bind_output(output.name, "cpu")
        self._session.run_with_iobinding(self._binding)
        return self._binding.get_outputs()


class Session(worker.Session):
    """As that of Axle; programs are functions of a peer instead of text."""

    SIDES = {"numpy": Numpy, "eager": Torch, "compiled": Torch, "onnx": Onnx}

    def _warm_up(self):
        pass

    def compile(self, id):
        """Takes up a row: {"compile_ms"}. torch.compile works when a function is first called."""
        self.drop()
        self.program = programs.find(id)
        self.base_mb = worker.memory_mb("VmRSS")
        begin = time.perf_counter()
        self.executable = self.side.compile(self.program)
        return {"compile_ms": (time.perf_counter() - begin) * 1e3}


def make_session(side, threads, options):
    return (worker.Session if side == "axle" else Session)(side, threads, options)


if __name__ == "__main__":
    # Not on the main thread, where Axle hands a call to another one so that Ctrl-C can end it; no peer offers that.
    thread = threading.Thread(target=worker.main, args=(make_session,))
    thread.start()
    thread.join()

"""The process of one side: pickled requests on stdin, answers on stdout.

    worker.py SIDE THREADS CPUS OPTIONS     as process.py starts it; OPTIONS is JSON

A request is (name of a method of Session, arguments), an answer (True, what it returned) or (False, message). The
affinity is set before the libraries are loaded, because they size their thread pools by it."""

import ctypes
import gc
import json
import os
import pickle
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import numpy as np  # noqa: E402

from compare import programs  # noqa: E402


class Axle:
    def __init__(self, threads, options):
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        sys.path.insert(0, os.path.join(root, "python"))
        import axle

        self.axle = axle
        self.options = {"engine": options["engine"], "numerics": options["numerics"]}

    def versions(self):
        return {"axle": self.axle.version, "axle_library": self.axle.library_path}

    def put(self, array):
        return self.axle.put(array)

    def compile(self, text):
        return self.axle.compile(text, **self.options)

    def call(self, executable, arguments):
        return executable.execute(*arguments)

    def wait(self, results):
        pass  # a run is over when execute() returns

    def numpy(self, result):
        return result.numpy()


class Xla:
    def __init__(self, threads, options):
        os.environ["PJRT_NPROC"] = str(threads)
        os.environ["JAX_PLATFORMS"] = "cpu"
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        import jax
        from jaxlib import _hlo, _jax, xla_client
        from jaxlib.cpu import _lapack

        _lapack.initialize()  # as JAX does before it lowers a LAPACK call
        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_cpu_enable_async_dispatch", options.get("mode") == "async")
        self.jax, self.hlo, self.internal, self.client = jax, _hlo, _jax, xla_client
        self.device = jax.devices("cpu")[0]

    def versions(self):
        import jaxlib

        return {"jax": self.jax.__version__, "jaxlib": jaxlib.__version__}

    def put(self, array):
        return self.jax.device_put(array, self.device).block_until_ready()

    def compile(self, text):
        module = self.hlo.hlo_module_from_text(text)
        computation = self.hlo.XlaComputation(module.as_serialized_hlo_module_proto())
        stablehlo = self.internal.mlir.xla_computation_to_mlir_module(computation)
        options = self.client.CompileOptions()
        options.device_assignment = self.client.DeviceAssignment.create(np.zeros((1, 1), np.int32))
        return self.device.client.compile_and_load(stablehlo, self.internal.DeviceList((self.device,)), options)

    def call(self, executable, arguments):
        return [r[0] for r in executable.execute_sharded(arguments).disassemble_into_single_device_arrays()]

    def wait(self, results):
        for result in results:
            result.block_until_ready()

    def numpy(self, result):
        return np.asarray(result)


def memory_mb(key):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(key))


def reset_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def wide(text):
    """The same program in f64, or None if a text with other types is another program."""
    if re.search(r"custom-call|bitcast-convert|shift-|\brng\b|\bu32\[", text):
        return None
    return re.sub(r"\bc64\b", "c128", re.sub(r"\b(f32|bf16|f16)\b", "f64", text))


class Session:
    """One program at a time."""

    SIDES = {"axle": Axle, "xla": Xla}

    def __init__(self, side, threads, options):
        self.side = self.SIDES[side](threads, options)
        self.program = self.executable = self.arguments = None
        self._warm_up()

    def _warm_up(self):
        # The first compilation of a process pays for what all later ones find ready.
        text = "HloModule warm\nENTRY e {\n a = f32[16] parameter(0)\n ROOT r = f32[16] add(a, a)\n}\n"
        executable = self.side.compile(text)
        self.side.wait(self.side.call(executable, [self.side.put(np.ones(16, np.float32))]))

    def versions(self):
        return self.side.versions()

    def compile(self, id, in_f64=False):
        """Takes up a program: {"compile_ms", "compile_peak_mb"}, None if in_f64 makes no sense for it."""
        self.drop()
        self.program = programs.find(id)
        text = self.program.text()
        text = wide(text) if in_f64 else text
        if text is None:
            return None
        self.base_mb = memory_mb("VmRSS")
        reset_peak()
        begin = time.perf_counter()
        self.executable = self.side.compile(text)
        took = time.perf_counter() - begin
        return {"compile_ms": took * 1e3, "compile_peak_mb": memory_mb("VmHWM") - self.base_mb}

    def first(self, path, in_f64=False):
        """Runs it once, saves the results as path: {"first_ms"}."""
        arrays = self.program.arguments()
        if in_f64:
            arrays = [self._wide_array(a) for a in arrays]
        self.arguments = [self.side.put(a) for a in arrays]
        del arrays
        self.aliases = self.program.aliases()
        begin = time.perf_counter()
        results = self._call()
        took = time.perf_counter() - begin
        arrays = [self.side.numpy(r) for r in results]
        with open(path, "wb") as file:
            pickle.dump(arrays, file, protocol=5)
        del arrays, results
        reset_peak()
        return {"first_ms": took * 1e3}

    @staticmethod
    def _wide_array(array):
        if array.dtype.kind == "c":
            return array.astype(np.complex128)
        return array if array.dtype.kind in "biu" else array.astype(np.float64)

    def _call(self):
        results = self.side.call(self.executable, self.arguments)
        self.side.wait(results)
        for number, output in self.aliases:
            self.arguments[number] = results[output]
        return results

    def sample(self, calls):
        """Seconds that so many calls take."""
        call, wait, executable, arguments, aliases = (
            self.side.call,
            self.side.wait,
            self.executable,
            self.arguments,
            self.aliases,
        )
        clock = time.perf_counter
        if aliases:
            begin = clock()
            for _ in range(calls):
                self._call()
            return clock() - begin
        begin = clock()
        for _ in range(calls):
            wait(call(executable, arguments))
        return clock() - begin

    def profile(self, calls):
        """Of Axle: where the time of so many calls goes, {"outside_share", "steps"}; the steps that take most first, each
        {"step", "share", "roofline"}."""
        profile = self.side.axle.Profile()
        for _ in range(calls):
            results = self.executable.execute(*self.arguments, profile=profile)
            for number, output in self.aliases:
                self.arguments[number] = results[output]
        (report,) = profile.report()["programs"]
        records = sorted(report["records"], key=lambda record: -(record["share"] or 0))
        steps = [
            {
                "step": f"{record['kind']} {', '.join(dict.fromkeys(record['ops']))}",
                "share": record["share"],
                "roofline": record["roofline"],
            }
            for record in records
        ]
        return {"outside_share": report["outside_seconds"] / (report["seconds"] or 1), "steps": steps[:3]}

    def peak_mb(self):
        """The most memory that runs took, with arguments and code, more than the process had before the program."""
        return max(0.0, memory_mb("VmHWM") - self.base_mb)

    def drop(self):
        """Forgets the program."""
        self.program = self.executable = self.arguments = None
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)  # what is free and still resident would hide what the next one takes


def main(make_session=Session):
    side, threads, cpus, options = sys.argv[1:]
    os.sched_setaffinity(0, {int(cpu) for cpu in cpus.split(",")})
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # if memory runs out, this process is to go and no other
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no answer
    gc.disable()
    session = None
    while True:
        try:
            name, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            if session is None:
                session = make_session(side, int(threads), json.loads(options))
            answer = True, getattr(session, name)(*arguments)
        except Exception as error:  # noqa: BLE001: whatever it is, it is an answer
            answer = False, f"{type(error).__name__}: {error}"
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    main()

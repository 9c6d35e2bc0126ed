"""Runs HLO text on XLA:CPU: pickled requests on stdin, answers on stdout.

jaxlib's client compiles StableHLO only, so the way is HLO text -> HloModule -> proto -> StableHLO ->
executable. A request is (text, argument lists, debug options); the answer is one list of result
leaves for each argument list, or (stage, message)."""

import os
import pickle
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
answers = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)  # whatever XLA prints is no answer

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jaxlib import _hlo, _jax, xla_client  # noqa: E402
from jaxlib.cpu import _lapack  # noqa: E402

_lapack.initialize()  # as JAX does before it lowers a LAPACK call
jax.config.update("jax_enable_x64", True)
DEVICE = jax.devices("cpu")[0]


def compile_text(text, debug_options):
    module = _hlo.hlo_module_from_text(text)
    computation = _hlo.XlaComputation(module.as_serialized_hlo_module_proto())
    stablehlo = _jax.mlir.xla_computation_to_mlir_module(computation)
    options = xla_client.CompileOptions()
    options.device_assignment = xla_client.DeviceAssignment.create(np.zeros((1, 1), np.int32))
    options.env_option_overrides = list(debug_options.items())
    return DEVICE.client.compile_and_load(stablehlo, _jax.DeviceList((DEVICE,)), options)


def execute(executable, arguments):
    buffers = [jax.device_put(np.array(a, copy=True), DEVICE) for a in arguments]
    results = executable.execute_sharded(buffers).disassemble_into_single_device_arrays()
    return [np.asarray(r[0]) for r in results]


def answer_to(text, argument_lists, debug_options):
    stage = "compile"
    try:
        executable = compile_text(text, debug_options)
        stage = "run"
        return [execute(executable, arguments) for arguments in argument_lists]
    except Exception as error:  # noqa: BLE001: whatever it is, it is an answer
        return stage, f"{type(error).__name__}: {error}"


def main():
    while True:
        try:
            request = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(answer_to(*request), answers)
        answers.flush()


if __name__ == "__main__":
    main()

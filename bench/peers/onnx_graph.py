"""Graphs of ONNX from calls: `g.Add(g.Mul(x, y), np.float32(1))`."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

OPSET = 21
IR_VERSION = 10


class Graph:
    """Collects nodes. An operand is the name of a value, an array, a number of NumPy, or a list of integers."""

    def __init__(self):
        self._nodes, self._constants = [], []

    def __getattr__(self, operation):
        def add(*operands, outputs=1, **attributes):
            inputs = [self._name(o) for o in operands]
            names = [f"v{len(self._nodes)}_{i}" for i in range(outputs)]
            self._nodes.append(helper.make_node(operation, inputs, names, **attributes))
            return names[0] if outputs == 1 else names

        return add

    def _name(self, operand):
        if isinstance(operand, str):
            return operand
        array = np.asarray(operand, np.int64) if isinstance(operand, list) else np.asarray(operand)
        name = f"c{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(array, name))
        return name

    def model(self, inputs, outputs):
        """A model's bytes. `inputs` is [(name, numpy type, dimensions)], `outputs` a list of names."""
        infos = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), dims)
            for name, dtype, dims in inputs
        ]
        results = [onnx.ValueInfoProto(name=name) for name in outputs]
        graph = helper.make_graph(self._nodes, "row", infos, results, self._constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        return onnx.shape_inference.infer_shapes(model).SerializeToString()


def model_of(function, inputs):
    """The model's bytes of a function of onnx_rows.py."""
    graph = Graph()
    outputs = function(graph, *(name for name, _, _ in inputs))
    return graph.model(inputs, [outputs] if isinstance(outputs, str) else list(outputs))

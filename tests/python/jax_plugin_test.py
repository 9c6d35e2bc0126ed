#!/usr/bin/env python3
"""What axle.jax_plugin tells JAX. A client of XLA:CPU stands for the one of the plugin library, so that this needs none;
each test is a process of its own, because JAX asks its plugins once."""

import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

import axle_module  # goes on in the Python that has numpy
import jaxlib_python

jaxlib_python.enter()
sys.path.insert(0, str(axle_module.ROOT / "scripts"))

import make_wheel  # noqa: E402

# What a process begins with: register_plugin of JAX, but for the library.
PRELUDE = """
from jax._src import compilation_cache, xla_bridge
from jax._src.interpreters import mlir
import axle._jax_lowerings

calls, lowered = [], []
axle._jax_lowerings.register = lambda *arguments: lowered.append(arguments)
factory = xla_bridge.make_cpu_client

def register_plugin(name, *, priority, library_path, options):
    calls.append((name, priority, library_path, options()))
    xla_bridge.register_backend_factory(
        name, lambda: factory(), priority=priority, fail_quietly=False,
        experimental=name not in xla_bridge._nonexperimental_plugins)
    return "c_api"

def fail():
    raise RuntimeError("no such processor")

xla_bridge.register_plugin = register_plugin
"""


class Plugin(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.library = self.folder / "lib" / "libaxle_pjrt.so"
        self.library.parent.mkdir()
        self.library.touch()
        info = self.folder / "site" / "axle_compiler-0.dist-info"  # as an installed wheel has it
        info.mkdir(parents=True)
        (info / "entry_points.txt").write_text(make_wheel.entry_points(make_wheel.project()))

    def run_python(self, program, **environment):
        """Stdout and stderr of a Python that has the package installed."""
        unset = ("JAX_PLATFORMS", "AXLE_AS_CPU", "JAX_NUM_CPU_DEVICES", "JAX_COMPILATION_CACHE_DIR", "XLA_FLAGS")
        paths = os.pathsep.join([str(self.folder / "site"), str(axle_module.ROOT / "python")])
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True,
            env={**{name: value for name, value in os.environ.items() if name not in unset},
                 "PYTHONPATH": paths, "AXLE_LIBRARY": str(self.library.parent / "libaxle.so"), **environment},
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def check(self, program, said="", **environment):
        """Runs a program of assertions after the prelude. Nothing is said on stderr but `said`."""
        _, err = self.run_python(PRELUDE + f"library = {str(self.library)!r}\n" + textwrap.dedent(program), **environment)
        if said:
            self.assertIn(said, err)
        else:
            self.assertEqual(err, "")

    def test_changes_nothing_that_is_not_asked_for(self):
        self.check("""
            default = xla_bridge.get_backend()
            assert calls == [("axle", -1, library, {"platform_name": "axle"})], calls
            assert lowered == [("axle", "c_api")]
            assert default is xla_bridge.get_backend("cpu") and default is not xla_bridge.get_backend("axle")
        """)
        self.check("""
            factory = fail
            def make_cpu_client(make=xla_bridge.make_cpu_client):
                return make()
            xla_bridge.register_backend_factory("cpu", make_cpu_client, priority=0, fail_quietly=False)
            assert xla_bridge.get_backend() is xla_bridge.get_backend("cpu")
            try:
                xla_bridge.get_backend("axle")
            except RuntimeError as error:
                assert "no such processor" in str(error), error
            else:
                raise AssertionError("a platform that cannot start")
        """)

    def test_is_chosen(self):
        self.check("""
            assert xla_bridge.get_backend() is xla_bridge.get_backend("axle")
            assert mlir._platforms_with_donation.count("axle") == 1
            assert list(xla_bridge.backends()) == ["axle", "cpu"]  # the other one is for callbacks
        """, JAX_PLATFORMS="axle")
        self.check("""
            import jax
            jax.config.update("jax_platforms", "axle")
            assert xla_bridge.get_backend() is xla_bridge.get_backend("axle")
        """)
        self.check("""
            assert xla_bridge.get_backend() is xla_bridge.get_backend("cpu")
            assert "axle" not in xla_bridge.backends()
        """, JAX_PLATFORMS="cpu")
        self.check("""
            factory = fail
            try:
                xla_bridge.get_backend()
            except RuntimeError as error:
                assert "Unable to initialize backend 'axle': no such processor" in str(error), error
            else:
                raise AssertionError("a platform that cannot start")
        """, JAX_PLATFORMS="axle")

    def test_takes_the_place_of_the_cpu(self):
        self.check("""
            made = []
            def factory(make=factory):
                made.append(make())
                return made[0]
            assert xla_bridge.get_backend() is made[0] and list(xla_bridge.backends()) == ["cpu"]
            assert calls == [("cpu", 0, library, {"platform_name": "cpu"})], calls
            assert lowered == [("cpu", "c_api")]
        """, AXLE_AS_CPU="1")
        self.check("""
            xla_bridge.get_backend()
            assert calls[0][3] == {"platform_name": "cpu", "num_devices": 3}, calls
        """, AXLE_AS_CPU="1", JAX_NUM_CPU_DEVICES="3")
        self.check("""
            xla_bridge.get_backend()
            assert calls[0][0] == "axle" and calls[0][3] == {"platform_name": "axle"}, calls
        """, AXLE_AS_CPU="0", JAX_NUM_CPU_DEVICES="3")

    def test_says_why_a_name_is_none(self):
        self.check("""
            try:
                xla_bridge.get_backend("axle")
            except RuntimeError as error:
                assert str(error) == (
                    "Backend 'axle' failed to initialize: with AXLE_AS_CPU=1 in the environment Axle is JAX's platform "
                    "\\"cpu\\" and not \\"axle\\": take JAX_PLATFORMS=cpu, or unset AXLE_AS_CPU. Available backends are "
                    "['cpu']"), error
            else:
                raise AssertionError("a platform of another name")
        """, AXLE_AS_CPU="1")
        said = "ValueError: axle: the environment variable AXLE_AS_CPU is 'yes', must be 1 or 0"
        self.check("xla_bridge.get_backend()\nassert calls == []", said, AXLE_AS_CPU="yes")

    def test_package_without_the_library(self):
        self.library.unlink()
        self.check("xla_bridge.get_backend()\nassert calls == []")
        refused = """
            try:
                xla_bridge.get_backend()
            except RuntimeError as error:
                assert "axle" in str(error), error
            else:
                raise AssertionError("a platform without a library")
        """
        said = "ImportError: axle: there is no libaxle_pjrt.so, the plugin for JAX; the wheel of axle-compiler has it"
        self.check(refused, said, JAX_PLATFORMS="cpu,axle")
        self.check("xla_bridge.get_backend()\nassert calls == []", said, AXLE_AS_CPU="1")

    def test_persistent_compilation_cache(self):
        self.check("""
            import types
            xla_bridge.get_backend()

            def is_used(platform, can_serialize=True):
                compilation_cache.reset_cache()
                client = types.SimpleNamespace(platform=platform, supports_executable_serialization=can_serialize)
                return compilation_cache.is_cache_used(client)

            assert is_used("axle") and is_used("cpu")
            assert not is_used("axle", can_serialize=False) and not is_used("other")
        """, JAX_COMPILATION_CACHE_DIR=str(self.folder / "cache"))

    def test_loads_little(self):
        program = """
            import sys
            import axle.jax_plugin
            assert not {"numpy", "ctypes", "jax", "axle._library", "sysconfig", "subprocess"} & set(sys.modules)
            import axle
            assert "compile" in dir(axle) and "compile" in axle.__all__ and "__version__" not in axle.__all__
            try:
                axle.complie
            except AttributeError as error:
                assert str(error) == "module 'axle' has no attribute 'complie'", error
            else:
                raise AssertionError("a name that is none")
        """
        self.assertEqual(self.run_python(textwrap.dedent(program)), ("", ""))
        program = "import axle.jax_plugin, axle\nfrom axle import *\nprint(sorted(set(axle.__all__) - set(globals())))"
        self.assertEqual(self.run_python(program, AXLE_LIBRARY=os.environ["AXLE_LIBRARY"]), ("[]\n", ""))


if __name__ == "__main__":
    unittest.main()

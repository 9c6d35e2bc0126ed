"""Axle as a platform of JAX. JAX finds this module by the entry point `jax_plugins` and calls initialize() before it
makes its first client.

The platform is called "axle" and comes after all others, so JAX uses it only if JAX_PLATFORMS (or
`jax.config.update("jax_platforms", ...)`) names it. With AXLE_AS_CPU=1 in the environment it takes the place of JAX's
platform "cpu" instead.

JAX has no public interface for what a platform may do. What is set here are JAX's own lists, with the names that they
have in jax 0.7 to 0.10.
"""

import os
import socket

from ._places import plugin_library


def initialize():
    """Tells JAX of the platform."""
    from jax._src import compilation_cache, config, xla_bridge
    from jax._src.interpreters import mlir

    as_cpu = os.environ.get("AXLE_AS_CPU", "")
    if as_cpu not in ("", "0", "1"):
        raise ValueError(f"axle: the environment variable AXLE_AS_CPU is {as_cpu!r}, must be 1 or 0")
    name = "cpu" if as_cpu == "1" else "axle"
    asked_for = (config.jax_platforms.value or "").split(",")
    library = plugin_library()
    if library is None:
        if name == "cpu" or name in asked_for:
            raise ImportError("axle: there is no libaxle_pjrt.so, the plugin for JAX; the wheel of axle-compiler has it")
        return  # the Python module alone, which nobody asked to be a platform
    xla_bridge._nonexperimental_plugins.add(name)
    c_api = xla_bridge.register_plugin(
        name, priority=0 if name == "cpu" else -1, library_path=library, options=lambda: _options(name)
    )
    from . import _jax_lowerings

    _jax_lowerings.register(name, c_api)
    if name == "cpu":
        # The other name says why it is none.
        xla_bridge.register_backend_factory("axle", _refuse_name, priority=-1, fail_quietly=True)
        return  # what follows is so for the other name
    # JAX starts all platforms if JAX_PLATFORMS names none. That this one cannot start is no reason not to use others.
    xla_bridge._backend_factories[name].fail_quietly = True
    if name not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append(name)
    _allow_compilation_cache(compilation_cache, name)
    if asked_for == [name]:
        # JAX puts the arguments of pure_callback and io_callback onto a device of its own, which it must have for that.
        config.update("jax_platforms", f"{name},cpu")


def _refuse_name():
    raise ValueError(
        "with AXLE_AS_CPU=1 in the environment Axle is JAX's platform \"cpu\" and not \"axle\": take JAX_PLATFORMS=cpu, or "
        "unset AXLE_AS_CPU"
    )


def _options(name):
    """What the plugin's client is made with: its name, and JAX's number of devices where it is in the place of JAX's CPU."""
    import jax

    options = {"platform_name": name}
    num_devices = getattr(jax.config, "jax_num_cpu_devices", -1)
    if name == "cpu" and num_devices > 0:
        options["num_devices"] = num_devices
    address = _listen_address()
    if address:
        options["listen_address"] = address
    return options


def _listen_address():
    """The address of this machine from which the coordinator of jax.distributed is reached, for the other processes. None
    if the environment names one or the coordinator is on this machine's loopback."""
    from jax._src import distributed

    host, _, port = (distributed.global_state.coordinator_address or "").rpartition(":")
    if not host or os.environ.get("AXLE_LISTEN_ADDRESS"):
        return None
    try:
        family, kind, protocol, _, there = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.connect(there)  # sends nothing
            address = probe.getsockname()[0]
    except (OSError, ValueError):
        return None
    return None if address.startswith("127.") or address == "::1" else address


class _Renamed:
    """A client as the compilation cache sees it, with the name of a platform that it knows."""

    platform = "cpu"

    def __init__(self, client):
        self._client = client

    def __getattr__(self, name):
        return getattr(self._client, name)


def _allow_compilation_cache(compilation_cache, name):
    """Lets the persistent compilation cache serve the platform: JAX's list of platforms is inside of a function."""
    is_cache_used = compilation_cache.is_cache_used

    def is_cache_used_or_axle(backend):
        return is_cache_used(_Renamed(backend) if backend.platform == name else backend)

    compilation_cache.is_cache_used = is_cache_used_or_axle

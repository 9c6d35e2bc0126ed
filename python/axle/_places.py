"""Where an installation of Axle has its libraries and its command. Imports next to nothing: the plugin of JAX and the
command `axle` ask for a path, and load no more of this package."""

import os
import pathlib

_PACKAGE = pathlib.Path(__file__).resolve().parent


def _prefixes():
    """Where `cmake --install --prefix` may have put Axle, the best ones first."""
    yield from list(_PACKAGE.parents)[3:4]  # PREFIX/lib/python3/site-packages/axle; also a venv that is the prefix
    for folder in os.get_exec_path():
        tool = pathlib.Path(folder, "axle")
        if tool.is_file():
            yield tool.resolve().parent.parent
    for name in ("CMAKE_PREFIX_PATH", "axle_ROOT"):
        yield from (pathlib.Path(path) for path in os.environ.get(name, "").split(os.pathsep) if path)
    home = pathlib.Path("~").expanduser()
    yield from (home / "axle", home / ".local", pathlib.Path("/usr/local"), pathlib.Path("/opt/axle"))


def _builds():
    """The build folders of the checkout that this package is used from."""
    checkout = _PACKAGE.parent.parent
    if (checkout / "axle" / "c_api.h").exists():
        yield from (checkout / "build" / preset for preset in ("release", "dev"))


def library_folders():
    """Where libraries of Axle may lie, the best folders first: those of the wheel, beside the package, of a build, of a
    prefix."""
    yield _PACKAGE / "lib"
    yield _PACKAGE
    yield from (build / "lib" for build in _builds())
    import sysconfig  # slow, and not needed in a wheel

    for prefix in _prefixes():
        yield from (prefix / name for name in ("lib", "lib64", f"lib/{sysconfig.get_config_var('MULTIARCH')}"))


def plugin_library():
    """The path of the plugin of JAX that belongs to the library that `import axle` takes, or None."""
    name = "libaxle_pjrt.so"
    if os.environ.get("AXLE_LIBRARY"):
        folders = [pathlib.Path(os.environ["AXLE_LIBRARY"]).parent]
    else:
        folders = library_folders()
    return next((str(folder / name) for folder in folders if (folder / name).exists()), None)


def command():
    """The path of the command line, a binary and not the script that asks for it; or None."""
    folders = (_PACKAGE, *_builds(), *_prefixes())
    return next((str(folder / "bin" / "axle") for folder in folders if _is_binary(folder / "bin" / "axle")), None)


def _is_binary(path):
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False

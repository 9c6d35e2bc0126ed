"""What makes a client one of a job of several processes: its options, the connection, and the end.

A process that ends without a word is lost, as far as the others know, and what they run together ends with an error.
So a client leaves its job when Python ends.
"""

import atexit
import numbers
import threading
import weakref
from ctypes import byref

from ._errors import AxleError
from ._library import DistributedOptions, check, lib

_TEXTS = ("transport", "rendezvous", "secret", "job", "listen_address")
_COUNTS = ("process_id", "num_processes", "epoch")
_SECONDS = ("connect_limit", "silence_limit", "late_warning", "late_limit")
_FLAGS = ("allow_no_secret",)
_clients = weakref.WeakSet()


def read_options(options):
    """DistributedOptions of a dict, whose names and types are checked here and whose values by the library."""
    fields = DistributedOptions()
    for name, value in options.items():
        if name not in _TEXTS + _COUNTS + _SECONDS + _FLAGS:
            known = ", ".join(sorted(_TEXTS + _COUNTS + _SECONDS + _FLAGS))
            raise AxleError("INVALID_ARGUMENT", f"distributed has no option {name!r}; there are {known}")
        if value is None:
            continue
        if name in _TEXTS:
            is_right, what = isinstance(value, str), "a text"
            value = value.encode() if is_right else value
        elif name in _SECONDS:
            is_right, what = isinstance(value, numbers.Real) and value > 0, "a number above 0"
        elif name in _COUNTS:
            is_right, what = isinstance(value, numbers.Integral) and value >= 0, "a number from 0"
        else:
            is_right, what = isinstance(value, bool), "True or False"
        if not is_right or (name not in _FLAGS and isinstance(value, bool)):
            raise AxleError("INVALID_ARGUMENT", f"distributed: {name} is {value!r}, must be {what}")
        setattr(fields, name, value)
    return fields


def connect(options, handle):
    """axle_client_create on another thread: it waits for the other processes, and Ctrl-C ends that."""
    status = []
    thread = threading.Thread(
        target=lambda: status.append(lib.axle_client_create(byref(options), byref(handle))), daemon=True
    )
    thread.start()
    thread.join()
    check(status[0])


def leave_at_exit(client):
    if not _clients:
        atexit.register(_leave_all)
    _clients.add(client)


def _leave_all():
    for client in list(_clients):
        client.leave()

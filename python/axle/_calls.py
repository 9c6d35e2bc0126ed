"""Limits of a call, and how Ctrl-C ends one.

Python runs signal handlers on the main thread, between two steps of Python code, so that a call into
the library on that thread could not be interrupted. Calls of the main thread therefore run on a
second thread, which is made once, while the main thread waits, which a signal ends; the call is then
cancelled. Calls of other threads never see KeyboardInterrupt and run where they are.
"""

import concurrent.futures
import ctypes
import os
import threading

from ._library import LimitsOptions, Progress, check, lib

_worker = None


def _forget_worker():
    global _worker
    _worker = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_worker)  # a child has no thread but its own


def _get_worker():
    global _worker
    if _worker is None:
        _worker = concurrent.futures.ThreadPoolExecutor(1, "axle")
    return _worker


class Limits:
    """An axle_limits for one call: `with Limits(...) as limits`."""

    def __init__(self, time_limit=None, memory_limit=None, step_limit=None, progress=None):
        self._error = None
        self._progress = Progress(self._report) if progress else Progress()
        self._user_progress = progress
        options = LimitsOptions(
            time_limit=time_limit or 0,
            memory_limit=memory_limit or 0,
            step_limit=step_limit or 0,
            progress=self._progress,
        )
        self.handle = ctypes.c_void_p()
        check(lib.axle_limits_create(ctypes.byref(options), ctypes.byref(self.handle)))

    def _report(self, done, _):
        try:
            self._user_progress(None if done < 0 else done)
        except BaseException as error:  # raised by call(), when the library has come back
            self._error = self._error or error
            lib.axle_limits_cancel(self.handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        lib.axle_limits_destroy(self.handle)

    def call(self, function, *arguments):
        """function(*arguments), which works under these limits and returns a status, which is checked."""
        if threading.current_thread() is threading.main_thread():
            status = self._call_on_worker(function, arguments)
        else:
            status = function(*arguments)
        if self._error is not None:
            if status:
                lib.axle_status_destroy(status)
            raise self._error
        check(status)

    def _call_on_worker(self, function, arguments):
        try:
            future = _get_worker().submit(function, *arguments)
        except RuntimeError:  # the interpreter is at its end and starts no thread
            return function(*arguments)
        try:
            return future.result()
        except BaseException:
            lib.axle_limits_cancel(self.handle)
            while not future.done():  # the arguments must outlive the call, whatever comes
                try:
                    concurrent.futures.wait([future])
                except BaseException:
                    pass
            if future.exception() is None and future.result():
                lib.axle_status_destroy(future.result())
            raise

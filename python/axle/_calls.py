"""Limits of a call, and how Ctrl-C ends one.

Python runs signal handlers on the main thread, between two steps of Python code, so that a call into
the library on that thread could not be interrupted. Calls of the main thread therefore run on a
second thread, which is made once, while the main thread waits, which a signal ends; the call is then
cancelled. Calls of other threads never see KeyboardInterrupt and run where they are.

To wake a second thread takes longer than most runs. What took a short time before runs on the main
thread (HereLimits), and the library polls there: now and then it calls Python, which runs the
handlers of the signals that have come. It does not poll while it waits for its own threads, so that
long runs go to the second thread.

A signal may come at any step, also while the second thread is being told what to do or while the main
thread waits for its end. So a call has all that the library reads and writes, the limits too: if the
main thread has to leave it alone, it ends by itself and lets go of them.
"""

import concurrent.futures
import ctypes
import numbers
import os
import threading

from ._errors import AxleError
from ._library import ExecuteOptions, LimitsOptions, Poll, Progress, check, destroy_with, lib

_INT64_MAX = 2**63 - 1
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


class _Reporter:
    """Calls the function that hears of progress, and cancels the limits if it raises."""

    def __init__(self, function, handle):
        self._function = function
        self._handle = handle
        self.error = None

    def report(self, done, _):
        try:
            self._function(None if done < 0 else done)
        except BaseException as error:  # raised by Limits.call, when the library has come back
            self.error = self.error or error
            lib.axle_limits_cancel(self._handle)


def _hear(handle, errors):
    """A generator, whose send() runs the handlers of the signals that have come: Python looks for them as soon as the
    generator goes on, and then it is inside of the try. A function would begin outside of any. What a handler raises
    goes to errors, and cancels the limits."""
    while True:
        try:
            while True:
                try:
                    yield
                except GeneratorExit:
                    return
                except BaseException as error:
                    errors.append(error)
                if errors:
                    lib.axle_limits_cancel(handle)
        except BaseException as error:  # of a second signal meanwhile
            errors.append(error)


class HereLimits:
    """The options of runs on the main thread that no limit but a signal ends; for one run at a time."""

    _POLL_INTERVAL = 0.02  # seconds

    def __init__(self):
        handle = ctypes.c_void_p()
        self._errors = []
        hear = _hear(handle, self._errors)
        next(hear)
        self._poll = Poll(hear.send)
        limits = LimitsOptions(poll=self._poll, poll_interval=self._POLL_INTERVAL)
        check(lib.axle_limits_create(ctypes.byref(limits), ctypes.byref(handle)))
        destroy_with(self, lib.axle_limits_destroy, handle)
        self._options = ExecuteOptions(limits=handle)
        self.options = ctypes.byref(self._options)

    def check(self, status):
        """Raises what a signal handler raised meanwhile, or the error of the run. They are not used again then."""
        if self._errors:
            if status:
                lib.axle_status_destroy(status)
            raise self._errors[0]
        if status:
            check(status)


class Limits:
    """An axle_limits for the calls of one task."""

    def __init__(self, time_limit=None, memory_limit=None, step_limit=None, progress=None):
        for name, limit in (("time_limit", time_limit), ("memory_limit", memory_limit), ("step_limit", step_limit)):
            if limit is not None and not (isinstance(limit, numbers.Real) and limit >= 0):
                raise AxleError("INVALID_ARGUMENT", f"{name} is {limit!r}, must be None or a number from 0")
        self.handle = ctypes.c_void_p()
        self._reporter = _Reporter(progress, self.handle)
        self._progress = Progress(self._reporter.report) if progress else Progress()
        # 0 is "none" to the C interface, and no time, memory or steps here.
        options = LimitsOptions(
            time_limit=0 if time_limit is None else max(time_limit, 1e-9),
            memory_limit=0 if memory_limit is None else max(1, min(memory_limit, _INT64_MAX)),
            step_limit=0 if step_limit is None else max(1, min(step_limit, _INT64_MAX)),
            progress=self._progress,
        )
        check(lib.axle_limits_create(ctypes.byref(options), ctypes.byref(self.handle)))
        destroy_with(self, lib.axle_limits_destroy, self.handle)

    def call(self, function, *arguments, keep=()):
        """function(*arguments), which works under these limits and returns a status, which is checked. `keep` is
        what the arguments point at without holding it."""
        if threading.current_thread() is threading.main_thread():
            status = self._call_on_worker(function, arguments, keep)
        else:
            status = function(*arguments)
        if self._reporter.error is not None:
            if status:
                lib.axle_status_destroy(status)
            raise self._reporter.error
        check(status)

    def _work(self, function, arguments, keep):
        return function(*arguments)

    def _call_on_worker(self, function, arguments, keep):
        future = None
        try:
            try:
                future = _get_worker().submit(self._work, function, arguments, keep)
            except RuntimeError:  # the interpreter is at its end and starts no thread
                return function(*arguments)
            return future.result()
        except BaseException:
            lib.axle_limits_cancel(self.handle)
            if future is not None:
                concurrent.futures.wait([future])
                if future.exception() is None and future.result():
                    lib.axle_status_destroy(future.result())
            raise

"""Where the time of runs goes, step by step."""

import json
from ctypes import byref, c_void_p

from ._errors import AxleError
from ._library import ProfileOptions, check, destroy_with, lib, take_bytes

_FORMS = {"table": 0, "json": 1, "trace": 2}


class Profile:
    """The times of the steps of all runs that get it:

        profile = axle.Profile()
        exe(x, profile=profile)
        print(profile)

    max_events  how many events are kept for trace(), 32 bytes each; none by default

    Runs at the same time may have one profile. A run that fails adds nothing.
    """

    def __init__(self, max_events=0):
        if not isinstance(max_events, int) or not 0 <= max_events < 2**63:
            raise AxleError("INVALID_ARGUMENT", f"max_events is {max_events!r}, must be a whole number from 0")
        self._handle = c_void_p()
        check(lib.axle_profile_create(byref(ProfileOptions(max_events=max_events)), byref(self._handle)))
        destroy_with(self, lib.axle_profile_destroy, self._handle)

    def _text(self, form):
        text = c_void_p()
        check(lib.axle_profile_text(self._handle, _FORMS[form], byref(text)))
        return take_bytes(text).decode()

    def __str__(self):
        """Tables, the steps that take the most time first."""
        return self._text("table")

    def report(self):
        """All that is known, as docs/profiling.md lists it: a dict with lists of programs and their records. Times are
        in seconds, sizes in bytes; None is what is not known."""
        return json.loads(self._text("json"))

    def trace(self):
        """The events as JSON text for Perfetto (ui.perfetto.dev) and chrome://tracing."""
        return self._text("trace")

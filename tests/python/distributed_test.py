#!/usr/bin/env python3
"""axle.Client in a job of several processes, which this test starts.

    distributed_test.py                                     starts the processes and looks at what they print
    distributed_test.py TASK PROCESS PROCESSES RENDEZVOUS   is one of them
"""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import axle_module

import axle  # isort: skip
import numpy as np  # isort: skip

SUM = """
HloModule sum, replica_count={replicas}
add {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}}
ENTRY main {{
  x = f32[2] parameter(0)
  ROOT s = f32[2] all-reduce(x), replica_groups={{}}, to_apply=add
}}
"""

# --- One process ------------------------------------------------------------------------------------------------------


def connect(process, processes, rendezvous, num_devices=1):
    return axle.Client(
        num_devices=num_devices,
        distributed={"rendezvous": rendezvous, "process_id": process, "num_processes": processes, "connect_limit": 60},
    )


def sums(client, exe):
    """The sums that this process's devices get; replica r has [r, 10 r]."""
    results = exe.execute_replicated([[np.float32([r, 10 * r])] for r in exe.device_numbers])
    return [np.asarray(result[0]).tolist() for result in results]


def run(process, processes, rendezvous):
    """Process p has p + 1 devices; a program of all of them, in an order of its own, and one of some."""
    client = connect(process, processes, rendezvous, num_devices=process + 1)
    total = processes * (processes + 1) // 2
    first = process * (process + 1) // 2
    assert (client.process_id, client.num_processes) == (process, processes)
    assert repr(client) == f"<axle.Client of {process + 1} devices, process {process} of {processes}>"
    assert client.num_job_devices == total and client.first_device() == first
    assert [client.first_device(p) for p in range(processes)] == [p * (p + 1) // 2 for p in range(processes)]
    assert [device.number for device in client.devices] == list(range(first, first + process + 1))
    assert [device.ordinal for device in client.devices] == list(range(process + 1))

    exe = client.compile(SUM.format(replicas=total), devices=list(range(total))[::-1])
    assert exe.devices == client.devices[::-1], exe.devices
    assert list(exe.device_numbers) == [total - 1 - device.number for device in exe.devices]
    whole = float(sum(range(total)))
    for _ in range(3):
        assert sums(client, exe) == [[whole, 10 * whole]] * (process + 1)

    # One device of each process: arrays in, arrays out.
    one_each = client.compile(SUM.format(replicas=processes), devices=[p * (p + 1) // 2 for p in range(processes)])
    assert one_each(np.float32([1, process])).tolist() == [processes, sum(range(processes))]
    # A program of this process alone.
    own = client.compile(SUM.format(replicas=1), devices=[client.devices[-1]])
    assert own(np.float32([5, 6])).tolist() == [5, 6]
    try:
        client.compile(SUM.format(replicas=1), devices=[(client.first_device() + process + 1) % total])
    except axle.AxleError as error:
        assert error.code == "INVALID_ARGUMENT" and f"in process {process}, " in str(error), error
    else:
        raise AssertionError("a program without a device here was compiled")
    print("done")


def differ(process, processes, rendezvous):
    """Both run a program of two devices, each another one."""
    client = connect(process, processes, rendezvous)
    text = SUM.format(replicas=processes)
    exe = client.compile(text if process == 0 else text.replace("HloModule sum", "HloModule total"))
    try:
        sums(client, exe)
    except axle.AxleError as error:
        print(error)


NAME = f"process 1 ({socket.gethostname()})"
AROUND = ', frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,2},{2,0}}"}'
SEND = """
HloModule send, replica_count={replicas}
ENTRY main {{
  x = f32[2] parameter(0)
  t = token[] after-all()
  s = (f32[2], u32[], token[]) send(x, t), channel_id=1{pairs}
  d = token[] send-done(s), channel_id=1{pairs}
  v = (f32[2], u32[], token[]) recv(d), channel_id=1{pairs}
  w = (f32[2], token[]) recv-done(v), channel_id=1{pairs}
  ROOT r = f32[2] get-tuple-element(w), index=0
}}
"""


def send_around(process, processes, rendezvous):
    """Values go to the next process; without pairs of devices nobody could say which one that is."""
    client = connect(process, processes, rendezvous)
    exe = client.compile(SEND.format(replicas=processes, pairs=AROUND))
    for _ in range(3):
        before = (process - 1) % processes
        assert sums(client, exe) == [[before, 10 * before]]
    wait_for_the_others()
    try:
        sums(client, client.compile(SEND.format(replicas=processes, pairs="")))
    except axle.AxleError as error:
        print(error)


def wait_for_the_others():
    """Until they have their results of the last run, too: an error of one process ends the runs of all."""
    time.sleep(1)


def end_early(process, processes, rendezvous):
    """Process 1 ends; its end is noticed, and so is that it has said so."""
    client = connect(process, processes, rendezvous)
    exe = client.compile(SUM.format(replicas=processes))
    assert sums(client, exe) == [[1, 10]]
    if process == 1:
        return  # at the end of Python the client leaves
    try:
        sums(client, exe)
    except axle.AxleError as error:
        print(error)


def be_killed(process, processes, rendezvous):
    """Process 1 is killed. The others connect again with a new process 1."""
    client = connect(process, processes, rendezvous)
    exe = client.compile(SUM.format(replicas=processes))
    assert sums(client, exe) == [[3, 30]]
    if process == 1:
        wait_for_the_others()
        os.kill(os.getpid(), signal.SIGKILL)
    for _ in range(2):
        try:
            sums(client, exe)
        except axle.AxleError as error:
            print(error)


RECV = """
HloModule recv, replica_count=2
ENTRY main {{
  x = f32[2] parameter(0)
  t = token[] after-all()
  v = (f32[2], u32[], token[]) recv(t), channel_id=1{pairs}
  w = (f32[2], token[]) recv-done(v), channel_id=1{pairs}
  ROOT r = f32[2] get-tuple-element(w), index=0
}}
"""


def wait_for_a_lost_one(process, processes, rendezvous, engine, text):
    """Process 1 is killed while process 0 waits for it in a program."""
    client = connect(process, processes, rendezvous)
    both = client.compile(SUM.format(replicas=processes), engine=engine)
    exe = client.compile(text.format(replicas=processes, pairs=AROUND.replace("{1,2},{2,0}", "{1,0}")), engine=engine)
    assert sums(client, both) == [[1, 10]]
    if process == 1:
        wait_for_the_others()
        os.kill(os.getpid(), signal.SIGKILL)
    try:
        sums(client, exe)
    except axle.AxleError as error:
        print(error)


def lose_native_sum(*job):
    wait_for_a_lost_one(*job, "native", SUM)


def lose_interpreted_sum(*job):
    wait_for_a_lost_one(*job, "interpret", SUM)


def lose_recv(*job):
    wait_for_a_lost_one(*job, "native", RECV)


def come_back(process, processes, rendezvous):
    """Process 1 leaves, and all connect again."""
    client = connect(process, processes, rendezvous)
    exe = client.compile(SUM.format(replicas=processes))
    for _ in range(2):
        assert sums(client, exe) == [[3, 30]]
        if process == 1:
            wait_for_the_others()
            client.leave()
        try:
            sums(client, exe)
        except axle.AxleError as error:
            assert error.code == "UNAVAILABLE", error
        client.reconnect()
    print("done")


def be_interrupted(process, processes, rendezvous):
    """Ctrl-C in process 0, whose program waits for process 1. The runs before are short: such programs stay on the main
    thread of Python. Process 1 stays until process 0 says that it goes on."""
    goes_on = pathlib.Path(rendezvous.removeprefix("file://")).with_name("goes_on")
    client = connect(process, processes, rendezvous)
    exe = client.compile(SUM.format(replicas=processes))
    for _ in range(3):
        assert exe(np.float32([1, process])).tolist() == [2, 1]
    if process == 1:
        end = time.monotonic() + 20
        while not goes_on.exists() and time.monotonic() < end:
            time.sleep(0.05)
        assert goes_on.exists(), "process 0 was not interrupted"
        return
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        exe(np.float32([1, process]))
    except KeyboardInterrupt:
        goes_on.touch()
        print("interrupted")


def never_meet(process, processes, rendezvous):
    try:
        axle.Client(distributed={"rendezvous": rendezvous, "process_id": 0, "num_processes": 2, "connect_limit": 0.3})
    except axle.AxleError as error:
        print(error)


# --- All of them ------------------------------------------------------------------------------------------------------


def start(task, processes, started=None):
    """The outputs and exit codes of the processes of a job."""
    with tempfile.TemporaryDirectory() as folder:
        rendezvous = f"file://{folder}/meet"
        running = [
            subprocess.Popen(
                [sys.executable, __file__, task.__name__, str(process), str(processes), rendezvous],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            )  # fmt: skip
            for process in range(started or processes)
        ]
        try:
            return [(process.communicate(timeout=120)[0], process.returncode) for process in running]
        finally:
            for process in running:
                if process.poll() is None:
                    process.kill()
                    print(process.communicate()[0])


class Options(unittest.TestCase):
    def refused(self, **options):
        with self.assertRaises(axle.AxleError) as caught:
            axle.Client(distributed=options)
        self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")
        return caught.exception.message

    def test_errors(self):
        self.assertEqual(
            self.refused(ranks=3),
            "distributed has no option 'ranks'; there are allow_no_secret, connect_limit, epoch, job, late_limit, "
            "late_warning, listen_address, num_processes, process_id, rendezvous, secret, silence_limit, transport",
        )
        self.assertEqual(self.refused(process_id="1"), "distributed: process_id is '1', must be a number from 0")
        self.assertEqual(self.refused(secret=7), "distributed: secret is 7, must be a text")
        self.assertEqual(self.refused(late_limit=0), "distributed: late_limit is 0, must be a number above 0")
        self.assertEqual(self.refused(allow_no_secret=1), "distributed: allow_no_secret is 1, must be True or False")
        self.assertEqual(self.refused(num_processes=True), "distributed: num_processes is True, must be a number from 0")
        self.assertEqual(
            self.refused(process_id=3, num_processes=3),
            "axle_client_create: process_id is 3, must be from 0 and below num_processes, which is 3",
        )
        self.assertEqual(
            self.refused(transport="pigeon"),
            'axle_client_create: there is no transport "pigeon"; there are gloo, mpi',
        )
        self.assertEqual(
            self.refused(process_id=0, num_processes=2),
            "connect: where the processes meet was not said: set rendezvous or AXLE_RENDEZVOUS to file:///FOLDER or "
            "tcp://HOST:PORT",
        )

    def test_without_a_job(self):
        client = axle.Client(num_devices=3)
        self.assertEqual((client.process_id, client.num_processes, client.num_job_devices), (0, 1, 3))
        self.assertEqual([device.number for device in client.devices], [0, 1, 2])
        self.assertEqual(client.first_device(0), 0)
        with self.assertRaisesRegex(axle.AxleError, "there is no process 2; there are 1"):
            client.first_device(2)
        with self.assertRaisesRegex(axle.AxleError, "^FAILED_PRECONDITION: connect: the client is in no job"):
            client.reconnect()
        client.leave()
        exe = client.compile(SUM.format(replicas=2), devices=[2, 1])
        self.assertEqual(exe.device_numbers, (0, 1))
        self.assertEqual(exe.devices, (client.devices[2], client.devices[1]))


@unittest.skipUnless(
    (pathlib.Path(os.environ["AXLE_LIBRARY"]).parent / "libaxle_gloo.so").exists(), "this build has no libaxle_gloo.so"
)
class Jobs(unittest.TestCase):
    def test_programs_of_all_devices(self):
        for processes in (2, 3):
            self.assertEqual(start(run, processes), [("done\n", 0)] * processes)

    def test_different_programs(self):
        for output, code in start(differ, 2):
            self.assertEqual(code, 0)
            self.assertRegex(output, r"^FAILED_PRECONDITION: ")
            self.assertIn('run 1 of the job: process 0 runs "sum" and process 1 runs "total"; all processes run', output)

    def test_sends_and_recvs(self):
        outputs = start(send_around, 3)
        self.assertEqual([code for _, code in outputs], [0] * 3, outputs)
        first = [output for output, _ in outputs if output.startswith("UNIMPLEMENTED: ")]
        self.assertTrue(first, outputs)
        self.assertIn(
            "send: channel 1: the program runs in several processes; say which devices meet with the frontend attribute "
            "_xla_send_recv_source_target_pairs={{source,target},...}",
            first[0],
        )

    def test_a_process_ends_early(self):
        outputs = start(end_early, 2)
        self.assertEqual(outputs[1], ("", 0))
        # It may have left before the message to it is sent.
        first = outputs[0][0].replace("send of 8 bytes to", "receive of 8 bytes from")
        self.assertEqual(
            first, f'UNAVAILABLE: all-reduce "s": receive of 8 bytes from {NAME}: {NAME} has left; operand f32[2]\n'
        )
        self.assertEqual(outputs[0][1], 0)

    def test_control_c(self):
        self.assertEqual(start(be_interrupted, 2), [("interrupted\n", 0), ("", 0)])

    def test_a_process_is_killed(self):
        outputs = start(be_killed, 3)
        self.assertEqual(outputs[1], ("", -signal.SIGKILL))
        for process in (0, 2):
            lines = outputs[process][0].splitlines()
            self.assertEqual((len(lines), outputs[process][1]), (2, 0), outputs)
            for line in lines:
                self.assertRegex(line, r"^UNAVAILABLE: .*process 1 \(.*\) is lost")

    def test_errors_say_the_operation_once(self):
        lost = f"{NAME}: {NAME} is lost: its connection was closed"
        for task, text in (
            (lose_native_sum, f'all-reduce "s": receive of 8 bytes from {lost}; operand f32[2]'),
            (lose_interpreted_sum, f'all-reduce "s": receive of 16 bytes from {lost}; operand f32[2]'),
            (lose_recv, f'channel 1: receive of 24 bytes from {lost}; recv-done "w"'),
        ):
            with self.subTest(task=task.__name__):
                self.assertEqual(start(task, 2), [(f"UNAVAILABLE: {text}\n", 0), ("", -signal.SIGKILL)])

    def test_a_process_comes_back(self):
        self.assertEqual(start(come_back, 3), [("done\n", 0)] * 3)

    def test_a_process_does_not_come(self):
        [(output, code)] = start(never_meet, 2, started=1)
        self.assertEqual(output, "DEADLINE_EXCEEDED: connect: process 1 has not come within 0.3 s\n")
        self.assertEqual(code, 0)


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[1] in globals():
        globals()[sys.argv[1]](int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    else:
        assert axle_module.ROOT
        unittest.main()

"""Transfers that break, and servers that are slow."""

import contextlib
import io
import json
import os
import random
import re
import shutil
import sys
import threading
import time
import unittest
from unittest import mock

from hostile_service import WithService, connect

from bindery._errors import BinderyError, IntegrityError, NotAllowed, ServiceError

LARGE = random.Random(9).randbytes(1_500_000)
CONTENTS = {"arm/arm.xml": b"<mujoco/>", "hand/hand.glb": b"hand"}
SCAN = {"scan/cloud.ply": LARGE}


def cut_after(count, times=10**9):
    """Sends `count` bytes of the file and breaks the connection, `times` times."""
    left = [times]

    def cut(handler, rest):
        left[0] -= 1
        if left[0] < 0:
            return rest
        found = handler.headers.get("Range")
        rest = rest if isinstance(rest, bytes) else json.dumps(rest).encode()
        handler.send_response(206 if found else 200)
        handler.send_header("Content-Length", str(len(rest)))
        if found:
            handler.send_header("Content-Range", f"bytes {found[6:-1]}-{len(LARGE) - 1}/{len(LARGE)}")
        handler.end_headers()
        handler.wfile.write(rest[:count])
        handler.cut()
        return None

    return cut


def in_turn(*misbehaviours):
    """Applies one after another, then returns the honest responses."""
    left = list(misbehaviours)
    return lambda handler, honest: left.pop(0)(handler, honest) if left else honest


def hang_up(handler, _):
    handler.cut()


def status(number, body=b"", **headers):
    return lambda handler, _: handler.send(number, body, **headers)


def drip(pause, count):
    """Sends a head, then `count` bytes at intervals, until the client disconnects."""

    def send(handler, _):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        while True:
            handler.wfile.write(b" " * count)
            time.sleep(pause)

    return send


class TryingAgain(WithService):
    def test_a_pull_succeeds_despite_broken_connections_and_busy_servers(self):
        for name, misbehaviour in {
            "a broken connection": hang_up,
            "half an answer": cut_after(3, times=1),
            "429": status(429, Retry_After="0"),
            "502": status(502, b"<html>"),
            "503": status(503, b'{"error":"unavailable","message":"Busy."}', Retry_After="0"),
            "504": status(504),
            "a date to wait for": status(503, Retry_After="Thu, 01 Jan 1970 00:00:00 GMT"),
        }.items():
            for answer in ["on_row", "on_manifest", "on_presign", "on_object"]:
                with self.subTest(f"{name}, {answer}"):
                    self.empty()
                    service = self.serve(CONTENTS)
                    setattr(service, answer, in_turn(misbehaviour))
                    self.pull(service)
                    self.assertEqual(self.files(), CONTENTS)

    def test_the_number_of_attempts_is_limited(self):
        for answer, asked in [("on_row", "arms"), ("on_object", "objects")]:
            for misbehaviour in [hang_up, status(503)]:
                service = self.serve({"arm/arm.xml": b"x"})
                setattr(service, answer, misbehaviour)
                self.assertRaises(ServiceError, self.pull, service)
                # The server may have closed an idle connection in the meantime, so its first failure does not count.
                self.assertIn(len(service.asked(asked)), (3, 4))

    def test_requests_that_a_retry_cannot_fix_are_sent_once(self):
        for misbehaviour in [status(400), status(401), status(404), status(500), status(429, Retry_After="3600")]:
            service = self.serve(CONTENTS)
            service.on_row = misbehaviour
            self.assertRaises(ServiceError, self.pull, service)
            self.assertEqual(len(service.asked("arms")), 1)

    def test_a_keep_alive_connection_that_was_closed_is_reopened(self):
        service = self.serve(CONTENTS)
        with connect(service.url) as client:
            client.pull("acme/arms", self.into)
            service.on_row = in_turn(hang_up)
            self.assertTrue(client.stat("acme/arms", self.into).up_to_date)

    def test_an_expired_presigned_url_is_requested_again(self):
        for number in [403, 404, 410]:
            self.empty()
            service = self.serve(CONTENTS)
            service.on_object = in_turn(*[status(number, b'{"error":"url_expired","message":"Expired."}')] * 2)
            self.pull(service)
            self.assertEqual(self.files(), CONTENTS)
            self.assertGreater(len(service.asked("presign")), 1)
        service.on_object = status(403)
        self.empty()
        self.assertRaises(NotAllowed, self.pull, service)
        self.assertEqual(self.files(), {})


def with_free_space(free):
    usage = shutil.disk_usage(".")._replace(free=free)
    return mock.patch("shutil.disk_usage", return_value=usage)


class FullDisk(WithService):
    """The system says how much a disk has free."""

    def test_a_pull_into_a_disk_that_is_too_small_writes_nothing_and_names_it(self):
        service = self.serve(SCAN)
        with with_free_space(1_000_000), self.assertRaisesRegex(
            BinderyError, r"disk of .*pulled: 1\.4 MiB needed, 1\.0 MiB free\. Nothing was written"
        ):
            self.pull(service)
        self.assertEqual(self.files(), {})


class Resuming(WithService):
    def test_an_interrupted_transfer_resumes_after_the_last_byte_received(self):
        service = self.serve(SCAN)
        service.on_object = cut_after(300_000, times=4)
        self.pull(service)
        self.assertEqual(self.files(), SCAN)
        self.assertEqual(service.asked("objects"), [None, *[f"bytes={part * 300_000}-" for part in range(1, 5)]])

    def test_a_pull_fails_after_three_transfers_that_break_after_one_byte(self):
        service = self.serve(SCAN)
        service.on_object = lambda handler, rest: [time.sleep(0.05), cut_after(1)(handler, rest)][1]
        self.assertRaises(ServiceError, self.pull, service)
        self.assertEqual(len(service.asked("objects")), 3)

    def leave_part(self, contents=SCAN):
        service = self.serve(contents)
        service.on_object = in_turn(cut_after(700_000, times=1), *[status(500)] * 3)
        self.assertRaises(ServiceError, self.pull, service)
        service.on_object = None
        service.requests.clear()
        [name] = self.files()
        return service, self.into / name

    def test_the_next_pull_requests_only_the_missing_bytes(self):
        service, part = self.leave_part()
        self.assertRegex(part.name, r"^\.bindery-[0-9a-f]{8}-[0-9a-f]{64}\.[0-9a-f]{8}-\d+\.[0-9a-f]{12}\.partial$")
        self.assertEqual(part.read_bytes(), LARGE[:700_000])
        # What a terminated process has left is resumed as well.
        part.rename(part.with_name(part.name.replace(f"-{os.getpid()}.", "-4194305.")))
        self.pull(service)
        self.assertEqual(self.files(), SCAN)
        self.assertEqual(service.asked("objects"), ["bytes=700000-"])

    def test_what_is_there_already_needs_no_space_again(self):
        service, part = self.leave_part()
        with with_free_space(len(LARGE) - part.stat().st_size):
            self.pull(service)
        self.assertEqual(self.files(), SCAN)

    def test_a_partial_file_that_was_changed_is_fetched_again(self):
        for content in [bytes(700_000), bytes(2_000_000)]:
            self.empty()
            service, part = self.leave_part()
            part.write_bytes(content)
            self.pull(service)
            self.assertEqual(self.files(), SCAN)

    def test_a_complete_partial_file_is_moved_into_place_without_a_request(self):
        service, part = self.leave_part()
        part.write_bytes(LARGE)
        self.pull(service)
        self.assertEqual(self.files(), SCAN)
        self.assertEqual(service.asked("objects"), [])

    def test_a_partial_file_of_another_revision_is_removed(self):
        service, part = self.leave_part()
        part.rename(part.with_name(part.name.replace(f"-{os.getpid()}.", "-4194305.")))
        service.publish({"scan/cloud.ply": b"next"})
        self.pull(service)
        self.assertEqual(self.files(), {"scan/cloud.ply": b"next"})

    def test_a_partial_file_is_fetched_from_scratch_if_the_store_ignores_ranges(self):
        service, _ = self.leave_part()
        service.on_object = lambda handler, _: handler.send(200, LARGE)
        self.pull(service)
        self.assertEqual(self.files(), SCAN)

    def test_what_a_process_of_another_machine_is_writing_is_left_alone_until_it_has_not_changed_for_long(self):
        service, part = self.leave_part()
        elsewhere = part.with_name(re.sub(r"\.[0-9a-f]{8}-\d+\.", f".00000000-{os.getpid()}.", part.name))
        part.rename(elsewhere)
        self.pull(service)
        self.assertEqual(elsewhere.read_bytes(), LARGE[:700_000])
        self.assertEqual(service.asked("objects"), [None])
        (self.into / "scan/cloud.ply").unlink()
        service.requests.clear()
        os.utime(elsewhere, (time.time() - 700,) * 2)
        self.pull(service)
        self.assertEqual(self.files(), SCAN)
        self.assertEqual(service.asked("objects"), ["bytes=700000-"])

    def test_a_file_that_somebody_put_in_place_of_the_partial_one_is_never_moved_into_place(self):
        service = self.serve(SCAN)

        def plant(_, content):
            [part] = (self.into / "scan").iterdir()
            part.unlink()
            part.write_bytes(bytes(len(LARGE)))
            return content

        service.on_object = plant
        with self.assertRaisesRegex(BinderyError, "was replaced while it was written"):
            self.pull(service)
        self.assertFalse((self.into / "scan/cloud.ply").exists())

    def test_a_planted_symlink_in_place_of_a_partial_file_is_not_followed(self):
        service, part = self.leave_part()
        precious = self.root / "precious"
        precious.write_bytes(b"precious")
        part.unlink()
        part.symlink_to(precious)
        self.pull(service)
        self.assertEqual(self.files(), SCAN)
        self.assertEqual(precious.read_bytes(), b"precious")


class OneRevision(WithService):
    NEXT = {"arm/arm.xml": b"<mujoco model='two'/>", "leg/leg.glb": b"leg"}

    def test_a_pull_gets_the_next_revision_if_it_is_published_meanwhile(self):
        for answer in ["on_manifest", "on_presign"]:
            with self.subTest(answer):
                self.empty()
                service = self.serve(CONTENTS)

                def publish(_, honest):
                    service.publish(self.NEXT)
                    return honest

                setattr(service, answer, in_turn(publish))
                if answer == "on_presign":
                    service.on_object = in_turn(*[status(404)] * 2)
                self.assertEqual(self.pull(service).revision, 2)
                self.assertEqual(self.files(), self.NEXT)

    def test_files_placed_for_an_earlier_revision_are_removed_or_replaced(self):
        service = self.serve(CONTENTS)

        def publish(handler, content):
            if content != b"hand":
                return content
            while "arm/arm.xml" not in self.files():
                time.sleep(0.01)
            service.publish(self.NEXT | {"arm/arm.xml": b"other"})
            handler.send(404, b"")

        contents = CONTENTS | {"first/first.xml": b"first"}
        service.publish(contents)
        service.on_object = publish
        self.pull(service)
        self.assertEqual(self.files(), self.NEXT | {"arm/arm.xml": b"other"})


class SlowServers(WithService):
    def pull_slowly(self, service):
        with mock.patch("bindery._limits.RECHECK_AFTER", 0.1), connect(service.url, window=0.3) as client:
            return client.pull("acme/arms", self.into)

    def test_a_transfer_from_a_server_that_is_too_slow_is_aborted_after_one_retry(self):
        for name, misbehaviour in {
            "a byte now and then": drip(0.02, 1),
            "nothing after the head": drip(60, 0),
            "half of the least rate": drip(0.02, 10),
            "no head": lambda *_: time.sleep(60),
        }.items():
            for answer, asked in [("on_row", "arms"), ("on_object", "objects")]:
                with self.subTest(f"{name}, {answer}"):
                    service = self.serve({"scan/cloud.ply": LARGE})
                    setattr(service, answer, misbehaviour)
                    with self.assertRaisesRegex(ServiceError, "Try again to resume"):
                        self.pull_slowly(service)
                    # On a busy machine, the server may see a request only after its client has gone.
                    until = time.monotonic() + 60
                    while len(service.asked(asked)) < 2 and time.monotonic() < until:
                        time.sleep(0.01)
                    self.assertEqual(len(service.asked(asked)), 2)

    def test_a_failure_aborts_the_other_transfers_at_once(self):
        service = self.serve({"a/a.bin": b"a", "b/b.bin": b"b"})
        stalled = threading.Event()

        def answer(handler, content):
            if content == b"a":
                stalled.set()
                time.sleep(60)
            stalled.wait()
            return b"x"

        service.on_object = answer
        began = time.monotonic()
        self.assertRaisesRegex(IntegrityError, "'b/b.bin' does not match", self.pull, service)
        # Waiting for the stalled transfer alone would take twice 20 seconds.
        self.assertLess(time.monotonic() - began, 20)



class Progress(WithService):
    def test_the_bytes_that_arrive_are_shown_if_asked_for(self):
        service = self.serve({"arm/arm.xml": b"<mujoco/>", "arm/link.stl": LARGE})
        with contextlib.redirect_stderr(io.StringIO()) as shown:
            self.pull(service, progress=True)
        self.assertIn("acme/arms: 100%", shown.getvalue())

    def test_nothing_is_shown_where_nobody_looks(self):
        for progress in [None, False]:
            with contextlib.redirect_stderr(io.StringIO()) as shown:
                self.pull(self.serve({"arm/arm.xml": os.urandom(9)}), progress=progress)
            self.assertNotIn("acme/arms", shown.getvalue())

    def test_without_the_package_that_shows_it_the_error_says_which(self):
        with mock.patch.dict(sys.modules, {"tqdm.auto": None}):
            with self.assertRaisesRegex(BinderyError, "pip install tqdm"):
                self.pull(self.serve({"arm/arm.xml": b"<mujoco/>"}), progress=True)


if __name__ == "__main__":
    unittest.main()

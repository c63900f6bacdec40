"""Transfers that break, and servers that are slow."""

import json
import os
import random
import threading
import time
import unittest
from unittest import mock

from hostile_service import WithService, connect

from bindery.errors import BinderyError, IntegrityError, NotAllowed, ServiceError

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
    def test_a_pull_goes_through_broken_connections_and_busy_servers(self):
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

    def test_attempts_are_bounded(self):
        for answer, asked in [("on_row", "arms"), ("on_object", "objects")]:
            for misbehaviour in [hang_up, status(503)]:
                service = self.serve({"arm/arm.xml": b"x"})
                setattr(service, answer, misbehaviour)
                self.assertRaises(ServiceError, self.pull, service)
                # The server may have closed an idle connection in the meantime, so its first failure does not count.
                self.assertIn(len(service.asked(asked)), (3, 4))

    def test_what_another_attempt_does_not_mend_is_asked_once(self):
        for misbehaviour in [status(400), status(401), status(404), status(500), status(429, Retry_After="3600")]:
            service = self.serve(CONTENTS)
            service.on_row = misbehaviour
            self.assertRaises(ServiceError, self.pull, service)
            self.assertEqual(len(service.asked("arms")), 1)

    def test_a_connection_that_was_closed_while_it_was_kept_is_opened_anew(self):
        service = self.serve(CONTENTS)
        with connect(service.url) as client:
            client.pull("acme/arms", self.into)
            service.on_row = in_turn(hang_up)
            self.assertTrue(client.stat("acme/arms", self.into).up_to_date)

    def test_an_address_that_has_expired_is_asked_for_anew(self):
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


class Resuming(WithService):
    def test_a_cut_is_taken_up_from_the_byte_that_came_last(self):
        service = self.serve(SCAN)
        service.on_object = cut_after(300_000, times=4)
        self.pull(service)
        self.assertEqual(self.files(), SCAN)
        self.assertEqual(service.asked("objects"), [None, *[f"bytes={part * 300_000}-" for part in range(1, 5)]])

    def test_cuts_after_a_byte_end_the_pull_soon(self):
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

    def test_the_next_pull_asks_for_the_rest_alone(self):
        service, part = self.leave_part()
        self.assertRegex(part.name, r"^\.bindery-[0-9a-f]{8}-[0-9a-f]{64}\.\d+\.partial$")
        self.assertEqual(part.read_bytes(), LARGE[:700_000])
        # What a terminated process has left is resumed as well.
        part.rename(part.with_name(part.name.replace(f".{os.getpid()}.", ".4194305.")))
        self.pull(service)
        self.assertEqual(self.files(), SCAN)
        self.assertEqual(service.asked("objects"), ["bytes=700000-"])

    def test_a_part_that_was_changed_is_fetched_anew(self):
        for content in [bytes(700_000), bytes(2_000_000)]:
            self.empty()
            service, part = self.leave_part()
            part.write_bytes(content)
            self.pull(service)
            self.assertEqual(self.files(), SCAN)

    def test_a_part_that_is_whole_is_put_in_place_without_a_request(self):
        service, part = self.leave_part()
        part.write_bytes(LARGE)
        self.pull(service)
        self.assertEqual(self.files(), SCAN)
        self.assertEqual(service.asked("objects"), [])

    def test_a_part_of_another_revision_is_removed(self):
        service, part = self.leave_part()
        part.rename(part.with_name(part.name.replace(f".{os.getpid()}.", ".4194305.")))
        service.publish({"scan/cloud.ply": b"next"})
        self.pull(service)
        self.assertEqual(self.files(), {"scan/cloud.ply": b"next"})

    def test_a_part_is_begun_anew_where_the_store_ignores_ranges(self):
        service, _ = self.leave_part()
        service.on_object = lambda handler, _: handler.send(200, LARGE)
        self.pull(service)
        self.assertEqual(self.files(), SCAN)

    def test_a_planted_link_in_place_of_a_part_is_not_followed(self):
        service, part = self.leave_part()
        precious = self.root / "precious"
        precious.write_bytes(b"precious")
        part.unlink()
        part.symlink_to(precious)
        self.assertRaises(BinderyError, self.pull, service)
        self.assertEqual(precious.read_bytes(), b"precious")


class OneRevision(WithService):
    NEXT = {"arm/arm.xml": b"<mujoco model='two'/>", "leg/leg.glb": b"leg"}

    def test_the_next_one_where_the_library_moves_on_meanwhile(self):
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

    def test_what_was_put_in_place_for_the_earlier_one_is_taken_back(self):
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
        with mock.patch("bindery.pace.SECOND_LOOK", 0.1), connect(service.url, window=0.3) as client:
            return client.pull("acme/arms", self.into)

    def test_a_server_that_sends_too_little_is_ended_after_one_more_try(self):
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
                    with self.assertRaisesRegex(ServiceError, "Pull again to resume"):
                        self.pull_slowly(service)
                    # On a busy machine, the server may see a request only after its client has gone.
                    until = time.monotonic() + 60
                    while len(service.asked(asked)) < 2 and time.monotonic() < until:
                        time.sleep(0.01)
                    self.assertEqual(len(service.asked(asked)), 2)

    def test_a_failure_ends_the_other_transfers_at_once(self):
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


if __name__ == "__main__":
    unittest.main()

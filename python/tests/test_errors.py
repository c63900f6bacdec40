"""What a script learns from a service that refuses or fails."""

import json
import unittest

import bindery
from bindery._errors import BinderyError, IntegrityError, NotAllowed, NotFound, ServiceError
from hostile_service import DETAIL, HIT, HostileService, WithService, connect

CONTENTS = {"arm/arm.xml": b"<mujoco/>"}


def error(status, code, message="It says why.", **headers):
    body = json.dumps({"error": code, "message": message, "requestId": "r-1"}).encode()
    return lambda handler, _: handler.send(status, body, **headers)


class Classes(WithService):
    def failure(self, on_row, kind=ServiceError):
        service = self.serve(CONTENTS)
        service.on_row = on_row
        with self.assertRaises(BinderyError) as caught:
            self.pull(service)
        self.assertIs(type(caught.exception), kind)
        return caught.exception

    def test_each_code_has_its_class_with_status_code_and_request_id(self):
        cases = [
            (401, "unauthenticated", NotAllowed),
            (401, "invalid_token", NotAllowed),
            (403, "forbidden", NotAllowed),
            (404, "not_found", NotFound),
            (404, "asset_not_found", NotFound),
            (400, "invalid_parameter", ServiceError),
            (413, "payload_too_large", ServiceError),
            (500, "internal", ServiceError),
            (500, "content_lost", bindery.ContentLost),
            (507, "storage_full", ServiceError),
            (507, "quota_exceeded", ServiceError),
            (403, "url_expired", ServiceError),
            (403, "invalid_signature", ServiceError),
        ]
        for status, code, kind in cases:
            with self.subTest(code=code):
                failure = self.failure(error(status, code), kind)
                self.assertEqual((failure.status, failure.code, failure.request_id), (status, code, "r-1"))
                self.assertIn("It says why.", str(failure))

    def test_lost_content_is_an_integrity_error_too_and_names_the_file(self):
        self.assertTrue(issubclass(bindery.ContentLost, IntegrityError))
        service = self.serve(CONTENTS)
        service.on_object = error(500, "content_lost")
        with self.assertRaisesRegex(bindery.ContentLost, "has lost 'arm/arm.xml'; 'bindery library push --verify'"):
            self.pull(service)
        self.assertEqual(self.files(), {})

    def test_a_missing_library_is_named(self):
        failure = self.failure(error(404, "not_found"), NotFound)
        self.assertEqual(str(failure), "acme/arms: It says why.")

    def test_a_service_that_asks_to_wait_says_how_long(self):
        for status, code in [(429, "rate_limited"), (503, "unavailable")]:
            failure = self.failure(error(status, code, Retry_After="42"))
            self.assertEqual((str(failure), failure.retry_after), ("It says why. (Wait 42 s.)", 42))

    def test_a_proxy_without_the_services_format_is_quoted_by_status(self):
        for status, phrase in [(413, "Request Entity Too Large"), (507, "Insufficient Storage"), (500, "Internal Server Error")]:
            failure = self.failure(lambda handler, _, status=status: handler.send(status, b"<html>"))
            self.assertRegex(str(failure), rf"^http://127.0.0.1:\d+ responded with status {status} \({phrase}\)\.$")
            self.assertIsNone(failure.code)

    def test_an_address_of_something_else_is_reported_as_that(self):
        html = b"<!doctype html><title>Hello</title>"
        for answer in [lambda handler, _: html, lambda handler, _: handler.send(404, html)]:
            self.assertRegex(str(self.failure(answer)), "Bindery service")

    def test_nothing_at_the_address_is_reported_without_the_systems_words(self):
        service = HostileService(CONTENTS)
        service.close()
        with self.assertRaisesRegex(ServiceError, "connection refused"):
            self.pull(service)

    def test_requests_and_what_is_tried_again_are_logged_without_the_secrets_in_urls(self):
        service = self.serve(CONTENTS)
        busy = [error(503, "unavailable", Retry_After="0")]
        service.on_row = lambda handler, honest: busy.pop()(handler, honest) if busy else honest

        def signed(_, honest):
            for file in honest["files"]:
                file["url"] += "?signature=secret"
            return honest

        service.on_presign = signed
        with self.assertLogs("bindery", "DEBUG") as logged:
            self.pull(service)
        text = "\n".join(logged.output)
        self.assertIn(f"GET {service.url}/namespaces/acme/libraries/arms: 503", text)
        self.assertIn("It says why. (Wait 0 s.) Trying again in 0.0 s.", text)
        self.assertRegex(text, f"GET {service.url}/objects/[0-9a-f]{{64}}: 200")
        self.assertNotIn("secret", text)

    def test_a_password_in_an_address_is_not_repeated(self):
        with self.assertRaises(ValueError) as caught:
            bindery.connect("https://ada:secret@example.org")
        self.assertNotIn("secret", str(caught.exception))


class Searches(WithService):
    """`answers` has the response of each route by the end of its path; the last one counts."""

    def search(self, libraries=None, *, row=None, hits=(HIT,), total=None, skipped=(), query="arm", **parameters):
        service = self.serve(CONTENTS)
        found = {"hits": list(hits), "total": len(hits) if total is None else total, "semantic": True}

        def answer(handler, honest):
            path = handler.path.split("?")[0]
            if path.endswith("/libraries/arms"):
                return {**honest, "licenses": row or []}
            if path.endswith("/arms/search"):
                return found
            placed = [{"namespace": "acme", "library": "arms", **hit} for hit in hits]
            return {**found, "hits": placed, "skipped": list(skipped)}

        service.on_row = answer
        with connect(service.url) as client:
            result = client.search(query, libraries, **parameters)
        self.asked = [path for path, _ in service.requests]
        return result

    def test_one_library_is_asked_itself_and_its_hits_name_it(self):
        found = self.search("acme/arms", limit=5)
        self.assertEqual(self.asked, ["/namespaces/acme/libraries/arms/search?q=arm&limit=5&offset=0"])
        (hit,) = found.hits
        self.assertEqual((hit.library, hit.asset, hit.address), ("acme/arms", "arm", "acme/arms/arm"))
        self.assertEqual((hit.title, hit.tags, hit.license, hit.bytes), ("An arm", ("left",), "MIT", 9))
        self.assertEqual(hit.raw, HIT)

    def test_a_release_is_searched_alone(self):
        (hit,) = self.search("acme/arms@v1").hits
        self.assertEqual(hit.address, "acme/arms@v1/arm")
        self.assertEqual(self.asked, ["/namespaces/acme/libraries/arms/search?q=arm&limit=50&offset=0&release=v1"])
        with self.assertRaisesRegex(ValueError, "acme/arms@v1"):
            self.search(["acme/arms@v1", "acme/legs"])

    def test_several_libraries_report_which_were_skipped(self):
        skipped = [{"library": "acme/none", "reason": "not_found"}]
        found = self.search(["acme/arms", "acme/none"], skipped=skipped)
        self.assertEqual(self.asked, ["/library-search?q=arm&limit=50&offset=0&libraries=acme%2Farms%2Cacme%2Fnone"])
        self.assertEqual(found.skipped, skipped)

    def test_without_libraries_everything_is_searched(self):
        self.search(tag=["left", "right"], sort="newest")
        self.assertEqual(self.asked, ["/search?q=arm&tag=left&tag=right&sort=newest&limit=50&offset=0"])
        for wrong in [{"libraries": []}, {"rank": "specified"}]:
            with self.assertRaises(ValueError):
                self.search(**wrong)

    def test_kinds_and_categories_are_sent_in_lower_case_and_lists_repeat_a_parameter(self):
        self.search("acme/arms", kind=["MJCF", "urdf"], category="Robot", rank="relevance")
        self.assertIn("category=robot&kind=mjcf&kind=urdf&rank=relevance", self.asked[0])

    def test_a_licence_in_another_letter_case_is_looked_up_once_nothing_has_it_as_written(self):
        self.search("acme/arms", license="mit", hits=(), row=["MIT", "CC0-1.0"])
        self.assertEqual([path.partition("license=")[2] for path in self.asked], ["mit&limit=50&offset=0", "", "MIT&limit=50&offset=0"])
        self.search("acme/arms", license="mit", hits=(), row=["CC0-1.0"])
        self.assertEqual(len(self.asked), 2)
        self.search("acme/arms", license="mit")
        self.assertEqual(len(self.asked), 1)
        with self.assertRaisesRegex(ValueError, "is ambiguous: use 'MIT' or 'Mit'"):
            self.search("acme/arms", license="mit", hits=(), row=["Mit", "MIT"])

    def test_an_inspected_asset_has_its_files(self):
        service = self.serve(CONTENTS)
        service.on_asset = lambda *_: DETAIL
        with connect(service.url) as client:
            asset = client.inspect("acme/arms@v1/arm")
        self.assertEqual((asset.address, asset.license, asset.meta), ("acme/arms@v1/arm", "MIT", {"mass": 3}))
        self.assertEqual([(file.path, file.size) for file in asset.files], [("arm/arm.xml", 9)])
        self.assertIsNone(asset.missing)

    def test_an_incomplete_asset_names_what_is_missing_whatever_an_author_writes_there(self):
        service = self.serve(CONTENTS)
        found = bindery.MissingFiles(2, ("hand.stl", "arm.stl"))
        for written, missing in [
            ({"total": 2, "names": ["hand.stl", "arm.stl"]}, found),
            ("the left hand", None),
            ({"total": 2}, None),
            ({"total": 2, "names": [3]}, None),
        ]:
            service.on_asset = lambda *_, written=written: {**DETAIL, "meta": {"missing": written}}
            with self.subTest(written), connect(service.url) as client:
                self.assertEqual(client.inspect("acme/arms/arm").missing, missing)

    def test_a_hit_or_an_asset_that_breaks_the_format_is_refused(self):
        with self.assertRaisesRegex(bindery.ServiceError, "/hits/0/title: must be text"):
            self.search("acme/arms", hits=({**HIT, "title": 3},))
        service = self.serve(CONTENTS)
        service.on_asset = lambda *_: {**DETAIL, "files": [{"path": "arm.xml"}]}
        with connect(service.url) as client, self.assertRaisesRegex(bindery.ServiceError, "/files/0/url: is missing"):
            client.inspect("acme/arms/arm")

    def test_unknown_parameters_are_refused(self):
        with self.assertRaises(TypeError):
            self.search("acme/arms", colour="red")


if __name__ == "__main__":
    unittest.main()

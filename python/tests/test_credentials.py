"""Which token and server a script gets. The encrypted file is written by Python's own `cryptography`."""

import json
import os
import re
import sys
import tempfile
import unittest
import warnings
from pathlib import Path
from unittest import mock

from cryptography.fernet import Fernet

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import bindery  # noqa: E402
from bindery import _credentials  # noqa: E402
from bindery._errors import NotAllowed  # noqa: E402
from bindery._credentials import choose_server  # noqa: E402
from bindery._limits import min_transfer_rate  # noqa: E402
from hostile_service import HostileService  # noqa: E402


SERVER = "https://one.example.org"


class WithoutKeyring(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        environment = {"BINDERY_CONFIG_DIR": str(self.folder), "HOME": str(self.folder)}
        self.enterContext(mock.patch.dict(os.environ, environment, clear=True))
        self.enterContext(mock.patch("importlib.util.find_spec", return_value=None))

    def keep(self, token):
        key = Fernet.generate_key()
        (self.folder / "encryption.key").write_bytes(key)
        sealed = Fernet(key).encrypt(json.dumps({"bindery-token": token}).encode())
        (self.folder / "tokens.encrypted").write_bytes(sealed)

    def test_the_token_is_read_from_the_encrypted_file(self):
        self.keep("kept")
        self.assertEqual(_credentials.find_token(SERVER), "kept")

    def test_a_token_in_the_environment_takes_precedence(self):
        self.keep("kept")
        with mock.patch.dict(os.environ, {"BINDERY_TOKEN": "given"}):
            self.assertEqual(_credentials.find_token(SERVER), "given")

    def test_the_api_key_in_the_config_file_is_ignored(self):
        (self.folder / "config.json").write_text('{"api_key": "never"}')
        self.assertIsNone(_credentials.find_token(SERVER))

    def test_a_file_that_cannot_be_decrypted_raises_an_error_that_suggests_bindery_login(self):
        self.keep("kept")
        (self.folder / "encryption.key").write_bytes(Fernet.generate_key())
        with self.assertRaisesRegex(NotAllowed, "bindery login"):
            _credentials.find_token(SERVER)

    def test_the_login_of_another_server_that_was_signed_in_to_is_used_for_it(self):
        key = Fernet.generate_key()
        (self.folder / "encryption.key").write_bytes(key)
        tokens = {"bindery-token": "last", "bindery-token@https://two.example.org": "earlier"}
        (self.folder / "tokens.encrypted").write_bytes(Fernet(key).encrypt(json.dumps(tokens).encode()))
        config = {"login_url": SERVER, "other_logins": ["https://two.example.org"]}
        (self.folder / "config.json").write_text(json.dumps(config))
        self.assertEqual(_credentials.find_token(SERVER), "last")
        self.assertEqual(_credentials.find_token("https://two.example.org/"), "earlier")
        self.assertRaises(NotAllowed, _credentials.find_token, "https://three.example.org")
        self.assertTrue(_credentials.may_have_token("https://two.example.org"))

    def test_an_unreadable_login_is_a_warning_and_told_again_if_the_service_refuses_the_request(self):
        self.keep("kept")
        service = HostileService({"arm/arm.xml": b"<mujoco/>"})
        self.addCleanup(service.close)
        with mock.patch.dict(sys.modules, {"cryptography": None, "cryptography.fernet": None}):
            with self.assertWarnsRegex(UserWarning, "Install the package 'cryptography'"):
                pulled = bindery.pull("acme/arms", self.folder / "pulled", server=service.url)
            self.assertEqual(pulled.fetched, 1)
            self.enterContext(warnings.catch_warnings(action="ignore"))
            for status, kind in [(401, bindery.NotAllowed), (404, bindery.NotFound)]:
                service.on_row = lambda handler, _, status=status: handler.send(status, b'{"message":"No such library."}')
                with self.assertRaisesRegex(kind, "No such library. .*Install the package 'cryptography'"):
                    bindery.pull("acme/arms", self.folder / "pulled", server=service.url)

    def test_a_token_with_a_line_break_a_space_or_non_ascii_characters_is_refused(self):
        for token in ["a\r\nX: y", "a b", "é"]:
            with self.assertRaisesRegex(bindery.NotAllowed, "has invalid characters"):
                bindery.connect("http://127.0.0.1:1", token=token)

    def test_the_minimum_transfer_rate_can_be_set_or_turned_off(self):
        for value, rate in [("", 1_024), ("5", 5), ("off", None)]:
            with mock.patch.dict(os.environ, {"BINDERY_MIN_TRANSFER_RATE": value}):
                self.assertEqual(min_transfer_rate(), rate)
        for value in ["0", "-1", "slow", "1e3"]:
            with mock.patch.dict(os.environ, {"BINDERY_MIN_TRANSFER_RATE": value}):
                self.assertRaisesRegex(ValueError, "bytes per second", min_transfer_rate)

    def test_the_login_is_sent_only_to_the_server_that_issued_it_however_that_is_written(self):
        self.keep("kept")
        config = self.folder / "config.json"
        same = [
            ("https://one.example.org/", ["https://one.example.org", "HTTPS://One.Example.org:443", "https://one.example.org//"]),
            ("http://localhost:7420", ["http://127.0.0.1:7420", "http://[::1]:7420", "http://127.9.9.9:7420"]),
        ]
        for login, servers in same:
            config.write_text(json.dumps({"login_url": login}))
            for server in servers:
                with self.subTest(login=login, server=server):
                    self.assertEqual(_credentials.find_token(server), "kept")
            for server in ["https://two.example.org", "http://127.0.0.1:9000", "http://one.example.org", "https://one.example.org/sub", "http://example.org"]:
                with self.subTest(login=login, server=server):
                    with self.assertRaisesRegex(NotAllowed, f"Your login is for {re.escape(login.rstrip('/'))}"):
                        _credentials.find_token(server)
                    self.assertFalse(_credentials.may_have_token(server))

    def test_a_server_that_only_a_file_names_may_have_the_token_only_at_the_address_that_the_user_works_with(self):
        (self.folder / "config.json").write_text('{"login_url": "http://localhost:7000"}')
        for server, may in [("http://LOCALHOST:7000/", True), ("http://127.0.0.1:7420", True), ("http://127.0.0.1:7000", False)]:
            with self.subTest(server=server):
                self.assertEqual(_credentials.may_have_token(server), may)

    def test_a_token_in_the_environment_is_sent_to_any_server_whatever_login_is_stored(self):
        self.keep("kept")
        service = HostileService({"arm/arm.xml": b"<mujoco/>"})
        self.addCleanup(service.close)
        (self.folder / "config.json").write_text('{"login_url": "https://one.example.org"}')
        with mock.patch.dict(os.environ, {"BINDERY_TOKEN": "given"}):
            bindery.pull("acme/arms", self.folder / "pulled", server=service.url)
        self.assertEqual(set(service.tokens), {"Bearer given", None})

    def test_a_login_for_another_server_is_mentioned_when_the_service_refuses_the_request(self):
        self.keep("kept")
        service = HostileService({"arm/arm.xml": b"<mujoco/>"})
        self.addCleanup(service.close)
        (self.folder / "config.json").write_text('{"login_url": "https://one.example.org"}')
        service.on_row = lambda handler, _: handler.send(404, b'{"error":"not_found","message":"Nothing."}')
        self.enterContext(warnings.catch_warnings(action="ignore"))
        with self.assertRaisesRegex(bindery.NotFound, r"^acme/arms: Nothing\. \(Your login is for https://one\.example\.org; "):
            bindery.pull("acme/arms", self.folder / "pulled", server=service.url)
        self.assertEqual(set(service.tokens), {None})

    def test_without_a_server_the_one_that_the_command_line_uses_is_meant(self):
        self.assertEqual(choose_server(), "http://127.0.0.1:7420")
        (self.folder / "config.json").write_text('{"remote_url": "https://team.example.org/"}')
        self.assertEqual(choose_server(), "https://team.example.org")
        with mock.patch.dict(os.environ, {"BINDERY_API_URL": "https://one.example.org/"}):
            self.assertEqual(choose_server(), "https://one.example.org")

    def test_server_true_means_the_server_of_the_environment_or_of_this_machine(self):
        (self.folder / "config.json").write_text('{"remote_url": "https://team.example.org/"}')
        self.assertEqual(choose_server(True), "http://127.0.0.1:7420")
        with mock.patch.dict(os.environ, {"BINDERY_API_URL": "https://one.example.org/"}):
            self.assertEqual(choose_server(True), "https://one.example.org")
            self.assertEqual(choose_server("https://two.example.org"), "https://two.example.org")


class WithKeyring(unittest.TestCase):
    def test_without_a_keychain_by_choice_the_encrypted_file_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            key = Fernet.generate_key()
            Path(folder, "encryption.key").write_bytes(key)
            Path(folder, "tokens.encrypted").write_bytes(Fernet(key).encrypt(b'{"bindery-token": "in the file"}'))
            chosen = {"BINDERY_CONFIG_DIR": folder, "BINDERY_NO_KEYCHAIN": "1"}
            with mock.patch.dict(os.environ, chosen, clear=True):
                self.assertEqual(_credentials.find_token(SERVER), "in the file")

    def test_a_keychain_that_is_locked_is_told_and_not_taken_for_an_empty_one(self):
        import keyring
        from keyring.errors import KeyringLocked

        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"BINDERY_CONFIG_DIR": folder}, clear=True):
            with mock.patch.object(keyring, "get_password", side_effect=KeyringLocked("Failed to unlock")):
                with self.assertRaisesRegex(NotAllowed, "cannot be read .Failed to unlock."):
                    _credentials.find_token(SERVER)

    def test_the_encrypted_file_is_not_read_but_mentioned_if_there_is_a_keychain(self):
        with tempfile.TemporaryDirectory() as folder:
            key = Fernet.generate_key()
            Path(folder, "encryption.key").write_bytes(key)
            sealed = Fernet(key).encrypt(b'{"bindery-token": "in the file"}')
            Path(folder, "tokens.encrypted").write_bytes(sealed)
            empty = {"BINDERY_CONFIG_DIR": folder, "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
            with mock.patch.dict(os.environ, empty, clear=True):
                with self.assertRaisesRegex(NotAllowed, "tokens.encrypted, which is not read"):
                    _credentials.find_token(SERVER)


if __name__ == "__main__":
    unittest.main()

"""Prints, for each of the cases on its standard input, why Python refuses it, or null."""

import json
import sys
import tempfile

from bindery._errors import BinderyError, SignatureError
from bindery._signature_log import SignatureLog
from bindery._signatures import continued, entries_of, read_signers, signature_of


def refusal(case):
    try:
        with tempfile.NamedTemporaryFile("w", suffix=".signers") as file:
            file.write(case["signers"] or "")
            file.flush()
            signers = None if case["signers"] is None else read_signers(file.name)
        seen, entries = (entries_of({"entries": case[name]}) or [] for name in ("seen", "entries"))
        log = SignatureLog("ann/arms", continued("ann/arms", seen, entries, False))
        signature_of(log, case["release"], case["manifest"], signers)
    except SignatureError as error:
        return error.problem
    except BinderyError:
        return "project_file"


print(json.dumps([refusal(case) for case in json.load(sys.stdin)]))

"""Prints which layers of text OpenUSD reads, as JSON."""

import json
import sys

from pxr import Sdf, Tf


def reads(text):
    try:
        return Sdf.Layer.CreateAnonymous(".usda").ImportFromString(text)
    except Tf.ErrorException:
        return False


print(json.dumps([reads(text) for text in json.load(sys.stdin)]))

"""Expands files with the `xacro` of ROS and prints the trees, or the failures, as JSON."""

import contextlib
import io
import json
import sys

import xacro


def tree(element):
    attributes = {name: value for name, value in element.attributes.items() if not name.startswith("xmlns")}
    children = [tree(child) for child in element.childNodes if child.nodeType == child.ELEMENT_NODE]
    return [element.tagName, attributes, children]


def expanded(path, arguments):
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            return tree(xacro.process_file(path, mappings=dict(arguments)).documentElement)
        except Exception as error:
            return f"{type(error).__name__}: {error}"


print(json.dumps([expanded(path, arguments) for path, arguments in json.load(sys.stdin)]))

"""Composes stages with OpenUSD and prints what they contain, or that they cannot be opened, as JSON lines."""

import json
import sys

from pxr import Gf, Sdf, Tf, Usd, UsdGeom, Vt


def numbers(value):
    if isinstance(value, (bool, int, float)):
        return [float(value)]
    if isinstance(value, Sdf.TimeCode):
        return [value.GetValue()]
    if isinstance(value, (Gf.Quath, Gf.Quatf, Gf.Quatd)):
        return [value.GetReal(), *value.GetImaginary()]
    if isinstance(value, (Vt.QuathArray, Vt.QuatfArray, Vt.QuatdArray)):
        return [number for one in value for number in numbers(one)]
    try:
        flat = memoryview(value)
        return [float(number) for number in flat.cast("B").cast(flat.format.strip("<"))]
    except (TypeError, ValueError):
        pass
    if hasattr(value, "__len__") and not isinstance(value, (str, dict)):
        parts = [numbers(part) for part in value]
        if all(part is not None for part in parts):
            return [float(number) for part in parts for number in part]
    return None


def summary(value):
    """What a value is: a text, a list of texts, or the count, sum, first and last of its numbers."""
    if value is None or isinstance(value, (str, Sdf.ValueBlock)):
        return value if isinstance(value, str) else None
    if isinstance(value, Sdf.AssetPath):
        return "@" + value.path
    if isinstance(value, Sdf.PathExpression):
        return value.GetText()
    if isinstance(value, Sdf.AssetPathArray):
        return ["@" + one.path for one in value]
    if isinstance(value, (Vt.StringArray, Vt.TokenArray)):
        return list(value)
    found = numbers(value)
    if found is None:
        return type(value).__name__
    finite = [one for one in found if abs(one) < 1e300]
    return [len(found), sum(finite), sum(map(abs, finite)), *found[:1], *found[-1:]]


def of_property(prop):
    if isinstance(prop, Usd.Relationship):
        return {"targets": [str(path) for path in prop.GetTargets()]}
    times = prop.GetTimeSamples()
    value = None
    for spec in prop.GetPropertyStack():
        if spec.HasInfo("default"):
            value = prop.Get()
        elif spec.HasInfo("timeSamples") and times:
            value = prop.Get(times[0])
        else:
            continue
        break
    # An asset is told from a text of the same letters by its type.
    return {
        "value": summary(value),
        "times": list(times[:1]) + list(times[-1:]) + [len(times)],
        "connections": [str(path) for path in prop.GetConnections()],
        "interpolation": prop.GetMetadata("interpolation"),
    }


def of_prim(prim):
    sets = prim.GetVariantSets()
    return {
        "type": prim.GetTypeName(),
        "schemas": list(prim.GetPrimTypeInfo().GetAppliedAPISchemas()),
        "kind": prim.GetMetadata("kind"),
        "variants": {name: [sorted(sets.GetVariantSet(name).GetVariantNames()), sets.GetVariantSelection(name)] for name in sets.GetNames()},
        "properties": {prop.GetName(): of_property(prop) for prop in prim.GetAuthoredProperties()},
    }


def of_stage(path):
    try:
        stage = Usd.Stage.Open(path)
    except Tf.ErrorException as error:
        return str(error.args[0]).splitlines()[0] if error.args else "cannot be opened"
    default = stage.GetDefaultPrim()
    return {
        "up": UsdGeom.GetStageUpAxis(stage).lower(),
        "metersPerUnit": UsdGeom.GetStageMetersPerUnit(stage),
        "default": str(default.GetPath()) if default and default.IsDefined() else None,
        "prims": [
            [str(prim.GetPath()), of_prim(prim)]
            for prim in Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies())
        ],
    }


for path in json.load(sys.stdin):
    print(json.dumps(of_stage(path)), flush=True)

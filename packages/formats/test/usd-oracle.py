"""Writes layers as crates, composes stages with OpenUSD, and prints what these contain as JSON."""

import json
import sys

from pxr import Gf, Sdf, Usd, UsdGeom, Vt

# Those that do not give a plain list of numbers.
BY_ITEM = (Vt.QuathArray, Vt.QuatfArray, Vt.QuatdArray, Vt.HalfArray, Vt.Vec2hArray, Vt.Vec3hArray, Vt.Vec4hArray)


def numbers(value):
    if isinstance(value, (bool, int, float)):
        return [float(value)]
    if isinstance(value, Sdf.TimeCode):
        return [value.GetValue()]
    if isinstance(value, (Gf.Quath, Gf.Quatf, Gf.Quatd)):
        return [value.GetReal(), *value.GetImaginary()]
    if hasattr(value, "__len__") and not isinstance(value, (str, dict)):
        parts = [numbers(part) for part in value]
        if all(part is not None for part in parts):
            return [number for part in parts for number in part]
    return None


def plain(value):
    if isinstance(value, Sdf.AssetPath):
        return "@" + value.path
    if isinstance(value, Sdf.AssetPathArray):
        return ["@" + one.path for one in value]
    if isinstance(value, (Vt.StringArray, Vt.TokenArray)):
        return list(value)
    return value if isinstance(value, str) else numbers(value)


def value_of(attribute):
    """The default of the strongest layer that says something, else its first sample."""
    for spec in attribute.GetPropertyStack():
        if spec.HasInfo("default"):
            return attribute.Get()
        if spec.HasInfo("timeSamples"):
            return attribute.Get(attribute.GetTimeSamples()[0])
    return None


def of_property(prop):
    if isinstance(prop, Usd.Relationship):
        return {"targets": [str(path) for path in prop.GetTargets()]}
    return {
        "value": plain(value_of(prop)),
        "connections": [str(path) for path in prop.GetConnections()],
        "interpolation": prop.GetMetadata("interpolation"),
    }


def of_prim(prim):
    sets = prim.GetVariantSets()
    return {
        "path": str(prim.GetPath()),
        "type": prim.GetTypeName(),
        "schemas": list(prim.GetPrimTypeInfo().GetAppliedAPISchemas()),
        "kind": prim.GetMetadata("kind"),
        "variants": [
            [name, sorted(sets.GetVariantSet(name).GetVariantNames()), sets.GetVariantSelection(name)]
            for name in sets.GetNames()
        ],
        "properties": {prop.GetName(): of_property(prop) for prop in prim.GetAuthoredProperties()},
    }


def of_stage(path):
    stage = Usd.Stage.Open(path)
    default = stage.GetDefaultPrim()
    return {
        "up": UsdGeom.GetStageUpAxis(stage).lower(),
        "metersPerUnit": UsdGeom.GetStageMetersPerUnit(stage),
        "default": str(default.GetPath()) if default and default.IsDefined() else None,
        "prims": [of_prim(prim) for prim in Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies())],
    }


asked = json.load(sys.stdin)
for source, crate in asked["crates"]:
    Sdf.Layer.FindOrOpen(source).Export(crate)
print(json.dumps([of_stage(path) for path in asked["stages"]]))

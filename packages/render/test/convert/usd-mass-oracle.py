"""Prints what OpenUSD computes of the bodies of stages, in kilograms and metres: mass, centre and inertia, as JSON.

OpenUSD asks what shapes enclose, and answers for the rest: which mass and density counts, and how parts make a whole.
"""

import json
import math
import sys

import numpy
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics


def filled(prim, scale):
    """The volume of a shape, and its inertia per density around its centre, which is where its frame is."""
    value = lambda name: prim.GetAttribute(name).Get()
    if prim.GetTypeName() == "Cube":
        x, y, z = (value("size") * factor for factor in scale)
        return x * y * z, numpy.diag([y * y + z * z, x * x + z * z, x * x + y * y]) * x * y * z / 12
    if prim.GetTypeName() == "Mesh":
        points = numpy.array(value("points")) * scale
        corners = numpy.array(value("faceVertexIndices")).reshape(-1, 3)
        volume, second = 0.0, numpy.zeros((3, 3))
        for a, b, c in points[corners]:
            part = numpy.dot(a, numpy.cross(b, c)) / 6
            total = a + b + c
            volume += part
            second += part / 20 * (sum(numpy.outer(p, p) for p in (a, b, c)) + numpy.outer(total, total))
        side = math.copysign(1, volume)
        return side * volume, side * (numpy.eye(3) * numpy.trace(second) - second)
    r = (value("radius") or value("radiusBottom")) * scale[0]
    ball, ball_moment = 4 / 3 * math.pi * r**3, 2 / 5 * r * r
    if prim.GetTypeName() == "Sphere":
        return ball, numpy.eye(3) * ball * ball_moment
    h = value("height") * scale[2]
    tube = math.pi * r * r * h
    across, along = tube * (3 * r * r + h * h) / 12, tube * r * r / 2
    if prim.GetTypeName() in ("Capsule", "Capsule_1"):
        across += ball * (ball_moment + h * h / 4 + 3 * h * r / 8)
        along += ball * ball_moment
        tube += ball
    return tube, numpy.diag([across, across, along])


def matrix(values):
    return Gf.Matrix3f(*[float(value) for value in numpy.asarray(values).flatten()])


def of_body(body):
    cache = UsdGeom.XformCache()
    stage = body.GetStage()

    def rigid(prim):
        """The frame of a prim without its scale, and this."""
        world = cache.GetLocalToWorldTransform(prim)
        scale = [world.GetRow3(axis).GetLength() for axis in range(3)]
        rows = [world.GetRow3(axis) / scale[axis] for axis in range(3)]
        return Gf.Matrix4d(*[[*row, 0] for row in rows], [*world.ExtractTranslation(), 1]), scale

    def answer(prim):
        frame, scale = rigid(prim)
        local = frame * rigid(body)[0].GetInverse()
        info = UsdPhysics.RigidBodyAPI.MassInformation()
        volume, inertia = filled(prim, scale)
        info.volume = float(volume)
        info.inertia = matrix(inertia)
        info.centerOfMass = Gf.Vec3f(0)
        info.localPos = Gf.Vec3f(local.ExtractTranslation())
        info.localRot = Gf.Quatf(local.ExtractRotation().GetQuat())
        return info

    mass, moments, center, axes = UsdPhysics.RigidBodyAPI(body).ComputeMassProperties(answer)
    # Without shapes OpenUSD leaves the axes as they were in memory, and all moments are the same.
    is_set = abs(axes.GetLength() - 1) < 1e-3
    turn = numpy.array(Gf.Matrix3d(Gf.Quatd(axes))).T if is_set else numpy.eye(3)
    kilograms, metres = UsdPhysics.GetStageKilogramsPerUnit(stage), UsdGeom.GetStageMetersPerUnit(stage)
    inertia = turn @ numpy.diag(moments) @ turn.T * kilograms * metres**2
    return [mass * kilograms, [part * metres for part in center], inertia.tolist()]


def of_stage(text):
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    stage = Usd.Stage.Open(layer)
    return [of_body(prim) for prim in stage.Traverse() if prim.HasAPI(UsdPhysics.RigidBodyAPI)]


print(json.dumps([of_stage(text) for text in json.load(sys.stdin)]))

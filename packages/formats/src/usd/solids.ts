import { UnreadableFileError } from '../files/unreadable.ts';
import { boundsOf } from '../model/bounds.ts';
import { translation, type Vector3 } from '../model/matrix.ts';
import type { Form } from '../model/mechanism.ts';
import { momentsOfPrimitive, turnedMoments } from '../model/primitive-moments.ts';
import { isClosed, momentsOf, movedMoments, type SolidMoments, type TriangleMesh } from '../model/solid.ts';
import { TooLarge, Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { readMesh, type UsdMesh } from './mesh.ts';
import { roundMeasures, shapeOf } from './shapes.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { floats, numberOf, numbersOf, textOf } from './values.ts';

/** What a prim encloses, in its own frame and units. */
export interface Solid {
  readonly moments: SolidMoments;
  /** It is the box around a mesh that encloses nothing. */
  readonly isBox: boolean;
}

/** Returns what the collision shape of a prim encloses; undefined for a prim without one, and for planes. */
export function solidOf(prim: UsdPrim, budget: Budget): Solid | undefined {
  if (prim.typeName === 'Mesh') return solidOfMesh(prim, budget);
  const shape = prim.typeName === 'Plane' ? undefined : shapeOf(prim);
  if (shape === undefined) return undefined;
  const { positions, indices } = shape.geometry;
  const upright = exactSolid(prim) ?? momentsOf({ positions: Float64Array.from(positions), indices });
  return { moments: movedMoments(upright, shape.turn), isBox: false };
}

/** Shapes that a picture has only nearly, along Z. */
function exactSolid(prim: UsdPrim): SolidMoments | undefined {
  const { radius, length } = roundMeasures(prim);
  switch (prim.typeName) {
    case 'Cube': {
      const side = Math.abs(numberOf(prim.value('size')) ?? 2);
      return momentsOfPrimitive({ type: 'box', size: [side, side, side] });
    }
    case 'Sphere':
      return momentsOfPrimitive({ type: 'sphere', radius });
    case 'Cylinder':
    case 'Cylinder_1':
      return momentsOfPrimitive({ type: 'cylinder', radius, length });
    case 'Capsule':
    case 'Capsule_1':
      return momentsOfPrimitive({ type: 'capsule', radius, length });
    case 'Cone': {
      const tube = Math.PI * radius ** 2 * length;
      return turnedMoments(
        tube / 3,
        (tube * radius ** 2) / 20,
        (tube * length ** 2) / 30,
        (-tube * length) / 12,
      );
    }
    default:
      return undefined;
  }
}

/** More triangles than are looked at for holes. */
const MAX_TRIANGLES = 1_000_000;

function solidOfMesh(prim: UsdPrim, budget: Budget): Solid | undefined {
  const mesh = readableMesh(prim, budget);
  if (mesh === undefined) return undefined;
  const { points, pointAt, corners } = mesh;
  const bounding = boundingForm(prim);
  if (bounding !== undefined) return { moments: momentsOfForm(bounding), isBox: false };
  const indices = corners.map((corner) => pointAt[corner] as number);
  const triangles = { positions: Float64Array.from(points), indices };
  const moments = momentsOf(triangles);
  const isHollow = corners.length <= 3 * MAX_TRIANGLES && !isClosed(triangles);
  if (isHollow || moments.volume === 0) return { moments: momentsOfForm(boxAround(points)), isBox: true };
  // Faces of some meshes look inwards.
  return { moments: moments.volume > 0 ? moments : momentsOf(insideOut(triangles)), isBox: false };
}

function readableMesh(prim: UsdPrim, budget: Budget): UsdMesh | undefined {
  try {
    return readMesh(prim, budget);
  } catch (error) {
    // What is drawn names what is wrong with it.
    const isDamaged = error instanceof Unrenderable || error instanceof UnreadableFileError;
    if (isDamaged && !(error instanceof TooLarge)) return undefined;
    throw error;
  }
}

function insideOut({ positions, indices }: TriangleMesh): TriangleMesh {
  return { positions, indices: indices.toReversed() };
}

/** A box or a sphere around the points of a mesh. */
export interface BoundingForm {
  readonly form: Extract<Form, { type: 'box' | 'sphere' }>;
  readonly center: Vector3;
}

/** What a mesh collides as that says so; undefined for one that collides as it is, or as its convex hull. */
export function boundingForm(prim: UsdPrim): BoundingForm | undefined {
  const approximation = prim.schemas.includes('PhysicsMeshCollisionAPI')
    ? textOf(prim.value('physics:approximation'))
    : undefined;
  const points = floats(numbersOf(prim.value('points')) ?? []);
  if (points.length < 3) return undefined;
  if (approximation === 'boundingCube') return boxAround(points);
  if (approximation !== 'boundingSphere') return undefined;
  const { center } = boxAround(points);
  let radius = 0;
  for (let at = 0; at + 2 < points.length; at += 3) {
    const [x = 0, y = 0, z = 0] = points.subarray(at, at + 3);
    radius = Math.max(radius, Math.hypot(x - center[0], y - center[1], z - center[2]));
  }
  return { form: { type: 'sphere', radius }, center };
}

function boxAround(points: Float32Array): BoundingForm {
  const { minX, minY, minZ, maxX, maxY, maxZ } = boundsOf([points]);
  return {
    form: { type: 'box', size: [maxX - minX, maxY - minY, maxZ - minZ] },
    center: [(minX + maxX) / 2, (minY + maxY) / 2, (minZ + maxZ) / 2],
  };
}

function momentsOfForm({ form, center }: BoundingForm): SolidMoments {
  return movedMoments(momentsOfPrimitive(form), translation(...center));
}

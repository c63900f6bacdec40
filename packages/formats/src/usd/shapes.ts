import { IDENTITY, type Matrix4 } from '../model/matrix.ts';
import { withCreaseNormals } from '../model/normals.ts';
import { box, capsule, cylinder, ellipsoid, rectangle } from '../model/primitives.ts';
import type { Geometry, LineSet, PointCloud } from '../model/scene.ts';
import { named } from '../named.ts';
import type { Budget } from '../reading/limits.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { floats, integers, numberOf, numbersOf, textOf } from './values.ts';

/** From the frame of a shape along Z to that of one along X or Y. */
const ALONG: Readonly<Record<string, Matrix4>> = named({
  X: [0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1],
  Y: [0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1],
  Z: IDENTITY,
});

/** A shape of USD that is no mesh; undefined for other prims. */
export function shapeOf(prim: UsdPrim): { geometry: Geometry; turn: Matrix4 } | undefined {
  const number = (name: string, standard: number) => Math.abs(numberOf(prim.value(name)) ?? standard);
  const turn = ALONG[textOf(prim.value('axis')) ?? 'Z'] ?? IDENTITY;
  const { radius, length } = roundMeasures(prim);
  switch (prim.typeName) {
    case 'Cube': {
      const half = number('size', 2) / 2;
      return { geometry: box(half, half, half), turn: IDENTITY };
    }
    case 'Sphere':
      return { geometry: ellipsoid(radius, radius, radius), turn: IDENTITY };
    case 'Cylinder':
    case 'Cylinder_1':
      return { geometry: cylinder(radius, length / 2), turn };
    case 'Capsule':
    case 'Capsule_1':
      return { geometry: capsule(radius, length / 2), turn };
    case 'Cone':
      return { geometry: cone(radius, length / 2), turn };
    case 'Plane':
      return { geometry: rectangle(number('width', 2) / 2, number('length', 2) / 2), turn };
    default:
      return undefined;
  }
}

/** The radius of a round shape, the larger one of one that tapers, and its length without its caps, along its axis. */
export function roundMeasures(prim: UsdPrim): { radius: number; length: number } {
  const measure = (name: string, standard: number) => Math.abs(numberOf(prim.value(name)) ?? standard);
  const isCapsule = prim.typeName.startsWith('Capsule');
  const [radius, length] = isCapsule ? [0.5, measure('height', 1)] : [1, measure('height', 2)];
  if (!prim.typeName.endsWith('_1')) return { radius: measure('radius', radius), length };
  return { radius: Math.max(measure('radiusBottom', radius), measure('radiusTop', radius)), length };
}

const SEGMENTS = 40;

function cone(radius: number, halfHeight: number): Geometry {
  const positions = [0, 0, halfHeight, 0, 0, -halfHeight];
  const indices: number[] = [];
  for (let segment = 0; segment < SEGMENTS; segment++) {
    const angle = (segment / SEGMENTS) * 2 * Math.PI;
    positions.push(radius * Math.cos(angle), radius * Math.sin(angle), -halfHeight);
    const [here, next] = [2 + segment, 2 + ((segment + 1) % SEGMENTS)];
    indices.push(0, here, next, 1, next, here);
  }
  return withCreaseNormals(Float32Array.from(positions), Uint32Array.from(indices));
}

/** Points with the colours that they have; undefined without any. */
export function pointsOf(prim: UsdPrim, transform: Matrix4, budget: Budget): PointCloud | undefined {
  const places = numbersOf(prim.value('points'));
  if (places === undefined || places.length < 3) return undefined;
  budget.spend('vertices', places.length / 3);
  const positions = floats(places);
  const colors = numbersOf(prim.value('primvars:displayColor'));
  if (colors === undefined || colors.length < 3) return { positions, transform };
  const isEach = colors.length >= positions.length;
  return {
    positions,
    colors: isEach ? floats(colors) : positions.map((_, at) => colors[at % 3] as number),
    transform,
  };
}

/** Segments of a curve between two points of a cubic. */
const STEPS = 6;

type Basis = (t: number) => readonly [number, number, number, number];
const BASES: Readonly<Record<string, Basis>> = named({
  bezier: (t) => [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3],
  bspline: (t) => [
    (1 - t) ** 3 / 6,
    (3 * t ** 3 - 6 * t * t + 4) / 6,
    (1 + 3 * t + 3 * t * t - 3 * t ** 3) / 6,
    t ** 3 / 6,
  ],
  catmullRom: (t) => [
    (-(t ** 3) + 2 * t * t - t) / 2,
    (3 * t ** 3 - 5 * t * t + 2) / 2,
    (-3 * t ** 3 + 4 * t * t + t) / 2,
    (t ** 3 - t * t) / 2,
  ],
});

/** Curves as thin lines, whatever their width; undefined without any. */
export function curvesOf(prim: UsdPrim, transform: Matrix4, budget: Budget): LineSet | undefined {
  const [places, counts] = [numbersOf(prim.value('points')), numbersOf(prim.value('curveVertexCounts'))];
  if (places === undefined || counts === undefined) return undefined;
  const isCubic = prim.typeName === 'BasisCurves' && (textOf(prim.value('type')) ?? 'cubic') === 'cubic';
  const basisName = textOf(prim.value('basis')) ?? 'bezier';
  const basis = isCubic ? BASES[basisName] : undefined;
  const isPeriodic = textOf(prim.value('wrap')) === 'periodic';
  const positions: number[] = [];
  const ends: number[] = [];
  let first = 0;
  for (const count of integers(counts)) {
    if (count < 0 || (first + count) * 3 > places.length) break;
    const at = (vertex: number, axis: number) => places[(first + (vertex % count)) * 3 + axis] as number;
    const line =
      basis === undefined || count < 4
        ? straight(count, isPeriodic)
        : curved(count, basisName === 'bezier' ? 3 : 1, isPeriodic, basis);
    budget.spend('vertices', line.length);
    for (const [k, weights] of line.entries()) {
      if (k > 0) ends.push(positions.length / 3 - 1, positions.length / 3);
      for (let axis = 0; axis < 3; axis++)
        positions.push(weights.reduce((sum, [vertex, weight]) => sum + weight * at(vertex, axis), 0));
    }
    first += count;
  }
  budget.spend('triangles', ends.length / 2);
  if (ends.length === 0) return undefined;
  const colors = numbersOf(prim.value('primvars:displayColor'));
  const [red = 0.2, green = 0.2, blue = 0.2] = [colors?.[0], colors?.[1], colors?.[2]];
  return {
    positions: Float32Array.from(positions),
    ends: Uint32Array.from(ends),
    color: [red, green, blue, 1],
    transform,
  };
}

/** A point of a line: vertices of the curve, each with its weight. */
type Weights = readonly (readonly [vertex: number, weight: number])[];

function straight(count: number, isPeriodic: boolean): Weights[] {
  return Array.from({ length: count + (isPeriodic && count > 0 ? 1 : 0) }, (_, vertex) => [
    [vertex, 1] as const,
  ]);
}

function curved(count: number, step: number, isPeriodic: boolean, basis: Basis): Weights[] {
  const spans = isPeriodic ? Math.floor(count / step) : Math.floor((count - 4) / step) + 1;
  const line: Weights[] = [];
  for (let span = 0; span < spans; span++) {
    for (let k = span === 0 ? 0 : 1; k <= STEPS; k++)
      line.push(basis(k / STEPS).map((weight, at) => [span * step + at, weight] as const));
  }
  return line;
}

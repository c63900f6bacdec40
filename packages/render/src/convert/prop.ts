import type { LoadContext } from '@bindery/formats/context';
import {
  IDENTITY,
  type Matrix4,
  multiply,
  scaling,
  transformPoints,
  Y_UP_TO_Z_UP,
} from '@bindery/formats/model/matrix';
import {
  type Body,
  type Mechanism,
  type MeshPart,
  ON_EARTH,
  PLAIN_JOINT,
  type Shape,
} from '@bindery/formats/model/mechanism';
import { withCreaseNormals } from '@bindery/formats/model/normals';
import type { Geometry, Instance } from '@bindery/formats/model/scene';
import {
  inertialOf,
  isClosed,
  longestSide,
  momentsOf,
  sumOfMoments,
  type TriangleMesh,
  withFacesOnce,
} from '@bindery/formats/model/solid';
import { bakedPart } from '@bindery/formats/parts/mechanism-meshes';
import { loadMesh } from '@bindery/formats/read';
import { Unrenderable } from '@bindery/formats/reading/errors';
import { convexPartsOf } from './convex-parts.ts';

/** The length of 1 in a file, in metres. */
export const LENGTH_UNITS = { m: 1, cm: 0.01, mm: 0.001, in: 0.0254 } as const;
export type LengthUnit = keyof typeof LENGTH_UNITS;

export interface PropOptions {
  readonly name: string;
  /** In kilograms, or in kilograms per cubic metre. */
  readonly weight: { readonly mass: number } | { readonly density: number };
  /** Needed where the format has none and the size does not tell. */
  readonly unit?: LengthUnit | undefined;
}

/** What a prop weighs and how large it is, as it was understood. */
export interface PropMeasures {
  readonly mass: number;
  /** The longest side, and the lowest point, in metres. */
  readonly side: number;
  readonly lowest: number;
  readonly parts: number;
  /** Whether the mass is distributed in what the mesh encloses; otherwise in its convex parts, as it has holes. */
  readonly isClosed: boolean;
  /** What may not be as it was meant, and what it would be otherwise. */
  readonly warnings: readonly string[];
}

/** Things that people handle are of this size, in metres. */
const [SMALLEST, LARGEST] = [0.005, 5];

/** In metres: dice and screws, if their file is in millimetres. */
const SMALLEST_PART = 0.002;
/** Makes a rigid body of a mesh: convex parts to collide with, and the inertia of one material throughout. */
export async function readProp(
  entry: string,
  { name, weight, unit }: PropOptions,
  context: LoadContext,
): Promise<{ mechanism: Mechanism; measures: PropMeasures }> {
  const scene = await loadMesh(entry, context);
  const upright = scene.up === 'y' ? Y_UP_TO_Z_UP : IDENTITY;
  const unscaled = withFacesOnce(meshOf(scene.instances, upright));
  if (unscaled.indices.length === 0) throw new Unrenderable('the mesh has no triangles');
  const scale =
    unit === undefined ? assumedScale(longestSide(unscaled), scene.unit === 'm') : LENGTH_UNITS[unit];
  const solid = { ...unscaled, positions: unscaled.positions.map((value) => value * scale) };
  const parts = await convexPartsOf(solid);
  if (parts.length === 0) throw new Unrenderable('the mesh encloses nothing');
  const moments = momentsOf(solid);
  const closed = isClosed(solid) && moments.volume > 0;
  const filled = closed ? moments : sumOfMoments(parts.map(outwards).map(momentsOf));
  const density = 'density' in weight ? weight.density : weight.mass / filled.volume;
  const inertial = inertialOf(filled, density);
  const side = longestSide(solid);
  const warnings: string[] = [];
  if (unit === undefined && scene.unit !== 'm' && side * LENGTH_UNITS.mm >= SMALLEST_PART)
    warnings.push(unitQuestion(side, filled.volume, weight));
  if (!closed) warnings.push(openWarning(filled.volume, weight));
  const placed = multiply(scaling(scale, scale, scale), upright);
  const drawn = scene.instances.map((instance) =>
    bakedPart({ ...instance, transform: multiply(placed, instance.transform) }, true),
  );
  const shapes = [shapeOf(name, 'visual', drawn)];
  for (const [at, part] of parts.entries())
    shapes.push(
      shapeOf(`${name}_${at + 1}`, 'collision', [{ geometry: geometryOf(part), material: undefined }]),
    );
  const body: Body = {
    name,
    parent: undefined,
    pose: IDENTITY,
    joints: [{ ...PLAIN_JOINT, name: `${name}_free`, type: 'free' }],
    inertial,
    shapes,
  };
  return {
    mechanism: {
      name,
      bodies: [body],
      actuators: [],
      excluded: [],
      physics: ON_EARTH,
      losses: [],
      faults: [],
    },
    measures: {
      mass: inertial.mass,
      side,
      lowest: lowestOf(solid),
      parts: parts.length,
      isClosed: closed,
      warnings,
    },
  };
}

/** What a mesh is in two units that both fit. */
function unitQuestion(side: number, volume: number, weight: PropOptions['weight']): string {
  const [one, other] = [1, LENGTH_UNITS.mm].map((scale) => {
    const size = volume * scale ** 3;
    const weighs =
      'density' in weight ? `${digits(weight.density * size)} kg` : `${digits(weight.mass / size)} kg/m³`;
    return `${digits(side * scale)} m long, ${weighs}`;
  });
  return `nobody says what 1 in the file is: taken as metres (${one}), but it may be millimetres (${other}); give its unit`;
}

function openWarning(volume: number, weight: PropOptions['weight']): string {
  const mass = 'density' in weight ? `mass (${digits(weight.density * volume)} kg) and inertia` : 'inertia';
  return `the mesh is open: a solid with holes, or a shell whose thickness nobody gave. Its ${mass} depend on the voxels that it was split by; give it walls`;
}

function digits(value: number): number {
  return Number(value.toPrecision(3));
}

function shapeOf(name: string, role: Shape['role'], parts: readonly MeshPart[]): Shape {
  return { name, role, pose: IDENTITY, form: { type: 'mesh', name, parts }, material: undefined };
}

function geometryOf({ positions, indices }: TriangleMesh): Geometry {
  return withCreaseNormals(Float32Array.from(positions), indices);
}

/** The scale of a mesh whose unit nobody gave. @throws Unrenderable where its size does not tell. */
function assumedScale(side: number, isMetric: boolean): number {
  if (side >= SMALLEST && side <= LARGEST) return 1;
  const measured = `the mesh is ${Number(side.toPrecision(3))} ${isMetric ? 'm' : 'units'} long`;
  const other = side * LENGTH_UNITS.mm;
  const guess = other >= SMALLEST && other <= LARGEST ? ': --unit mm makes that millimetres' : '';
  throw new Unrenderable(
    `${measured}, too ${side < SMALLEST ? 'small' : 'large'} for a prop; give its --unit${guess}`,
  );
}

function meshOf(instances: readonly Instance[], upright: Matrix4): TriangleMesh {
  const positions: Float64Array[] = [];
  const indices: Uint32Array[] = [];
  let vertices = 0;
  for (const { geometry, transform } of instances) {
    const placed = transformed(multiply(upright, transform), geometry);
    const first = vertices;
    positions.push(placed);
    indices.push(geometry.indices.map((vertex) => vertex + first));
    vertices += placed.length / 3;
  }
  return { positions: joined(positions, Float64Array), indices: joined(indices, Uint32Array) };
}

function transformed(transform: Matrix4, { positions }: Geometry): Float64Array {
  return Float64Array.from(transformPoints(transform, positions));
}

function joined<T extends Float64Array | Uint32Array>(
  tables: readonly T[],
  Table: new (length: number) => T,
): T {
  const all = new Table(tables.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const table of tables) {
    all.set(table, at);
    at += table.length;
  }
  return all;
}

function lowestOf({ positions }: TriangleMesh): number {
  let lowest = Infinity;
  for (let at = 2; at < positions.length; at += 3) lowest = Math.min(lowest, positions[at] ?? 0);
  return lowest;
}

/** A hull whose triangles face outwards. */
function outwards(part: TriangleMesh): TriangleMesh {
  if (momentsOf(part).volume >= 0) return part;
  return { positions: part.positions, indices: Uint32Array.from(part.indices).reverse() };
}

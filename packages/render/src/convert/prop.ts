import type { Loss, ProofLine } from '@bindery/formats';
import type { LoadContext } from '@bindery/formats/context';
import { mechanismOfScene } from '@bindery/formats/model/drawn-mechanism';
import { enclosedBy } from '@bindery/formats/model/enclosed';
import { missingParts } from '@bindery/formats/model/losses';
import {
  IDENTITY,
  multiply,
  scaling,
  subtract,
  transformPoints,
  type Vector3,
  Y_UP_TO_Z_UP,
} from '@bindery/formats/model/matrix';
import { type Mechanism, type MeshPart, PLAIN_JOINT, type Shape } from '@bindery/formats/model/mechanism';
import { withCreaseNormals } from '@bindery/formats/model/normals';
import { LENGTH_UNITS, MATERIALS, type SimReady, simReadyProblem } from '@bindery/formats/model/sim-ready';
import {
  cornersOf,
  inertialOf,
  momentsOf,
  momentsOfWalls,
  type SolidMoments,
  type TriangleMesh,
  withFacesOnce,
} from '@bindery/formats/model/solid';
import { bakedPart } from '@bindery/formats/parts/mechanism-meshes';
import { loadMesh } from '@bindery/formats/read';
import { Unrenderable } from '@bindery/formats/reading/errors';
import { convexPartsOf } from './convex-parts.ts';

export interface PropOptions extends SimReady {
  readonly name: string;
}

/** What a prop weighs and how large it is, as it was understood. */
export interface PropMeasures {
  readonly mass: number;
  /** The box around it, in metres. */
  readonly box: readonly [low: Vector3, high: Vector3];
  /** How many convex parts collide. */
  readonly parts: number;
  /** Whether the mass is distributed in what the mesh encloses; otherwise in walls where its triangles are. */
  readonly isClosed: boolean;
}

export interface Prop {
  /** One body that floats. Its losses say what was assumed, and what is not as good as it should be. */
  readonly mechanism: Mechanism;
  readonly measures: PropMeasures;
  readonly proof: readonly ProofLine[];
}

/** The share of lines through a mesh that may come in without going out: seams that do not quite meet. */
const MAX_LEAKS = 0.01;
/** How far the volume of what collides may be from that of the mesh; and signed tetrahedra from what lies inside. */
const MAX_DIFFERENCE = 0.02;

/** Makes a rigid body of a mesh: convex parts to collide with, and the inertia of one material throughout. */
export async function readProp(
  entry: string,
  { name, ...asked }: PropOptions,
  context: LoadContext,
): Promise<Prop> {
  const problem = simReadyProblem(asked);
  if (problem !== undefined) throw new Unrenderable(problem.message);
  const scene = await loadMesh(entry, context);
  const upright = scene.up === 'y' ? Y_UP_TO_Z_UP : IDENTITY;
  const unscaled = withFacesOnce(
    joined(
      scene.instances.map(({ geometry: { positions, indices }, transform }) => ({
        positions: Float64Array.from(transformPoints(multiply(upright, transform), positions)),
        indices,
      })),
    ),
  );
  if (unscaled.indices.length === 0) throw new Unrenderable('the mesh has no triangles');
  const { scale, assumed } = scaleOf(unscaled, asked, scene.unit === 'm');
  const solid = { ...unscaled, positions: unscaled.positions.map((value) => value * scale) };
  const substance = substanceOf(solid, asked);
  const { moments, isClosed, said } = substance;
  const split = await convexPartsOf(solid, isClosed);
  if (split.length === 0) throw new Unrenderable('the mesh encloses nothing');
  const { parts, colliding } = filling(split.map(outwards), isClosed ? moments.volume : 0);
  const { density = asked.material && MATERIALS[asked.material].density, mass } = asked;
  const inertial = inertialOf(moments, mass === undefined ? (density ?? 0) : mass / moments.volume);
  const volume = volumeTold(parts.length, colliding, substance, asked);
  const shown = mechanismOfScene(name, scene);
  const losses: Loss[] = [
    ...shown.losses.filter(({ what }) => what !== 'unit of length'),
    ...missingParts(context.omissions),
    ...assumed,
    { what: 'mass', names: [], why: `the mesh says none: ${digits(inertial.mass)} kg, ${said}` },
    ...volume.losses,
  ];
  const placed = multiply(scaling(scale, scale, scale), upright);
  const drawn = scene.instances.map((instance) =>
    bakedPart({ ...instance, transform: multiply(placed, instance.transform) }, true),
  );
  const friction = asked.material && MATERIALS[asked.material].friction;
  const collisions = parts.map(({ positions, indices }, at): Shape => {
    const geometry = withCreaseNormals(Float32Array.from(positions), indices);
    return { ...shapeOf(`${name}_${at + 1}`, 'collision', [{ geometry, material: undefined }]), friction };
  });
  const body = {
    name,
    parent: undefined,
    pose: IDENTITY,
    joints: [{ ...PLAIN_JOINT, name: `${name}_free`, type: 'free' as const }],
    inertial,
    shapes: [shapeOf(name, 'visual', drawn), ...collisions],
  };
  return {
    mechanism: { ...shown, bodies: [body], losses },
    measures: { mass: inertial.mass, box: cornersOf(solid), parts: parts.length, isClosed },
    proof: volume.proof,
  };
}

/** How much may be lacking that is only outside of the sides of hulls, and how often they are made larger. */
const MAX_LACKING = 0.1;
const GROWTHS = 2;

/** The corners of hulls lie on round surfaces and their sides inside of these: hulls that lack volume are made larger. */
function filling(hulls: readonly TriangleMesh[], volume: number) {
  let parts = hulls;
  let colliding = enclosedBy(joined(parts)).moments.volume;
  for (let growth = 0; growth < GROWTHS; growth++) {
    if (colliding >= volume || colliding < (1 - MAX_LACKING) * volume) break;
    const scale = Math.cbrt(volume / colliding);
    parts = parts.map((part) => scaled(part, scale));
    colliding = enclosedBy(joined(parts)).moments.volume;
  }
  return { parts, colliding };
}

/** A solid that is made larger around its centre. */
function scaled(part: TriangleMesh, scale: number): TriangleMesh {
  const { volume, first } = momentsOf(part);
  return {
    positions: part.positions.map((value, at) => {
      const centre = (first[at % 3] ?? 0) / volume;
      return centre + scale * (value - centre);
    }),
    indices: part.indices,
  };
}

interface Substance {
  readonly moments: SolidMoments;
  readonly isClosed: boolean;
  /** Where the mass is. */
  readonly said: string;
}

/** What of a mesh has mass. @throws Unrenderable for an open one whose walls weigh nobody knows what */
function substanceOf(mesh: TriangleMesh, { mass, thickness }: SimReady): Substance {
  const { moments, leaks } = enclosedBy(mesh);
  if (leaks <= MAX_LEAKS && moments.volume > 0) {
    const exact = momentsOf(mesh);
    const more = Math.abs(exact.volume) / moments.volume - 1;
    const isExact = exact.volume > 0 && Math.abs(more) <= MAX_DIFFERENCE;
    const once = more > MAX_DIFFERENCE ? `; what overlaps (${percent(more)}) counts once` : '';
    return {
      moments: isExact ? exact : moments,
      isClosed: true,
      said: `of one density in ${litres(moments.volume)}${once}`,
    };
  }
  const surface = momentsOfWalls(mesh, 1);
  const open = `the mesh is open (${percent(leaks)} of lines through it come in without going out)`;
  if (mass === undefined && thickness === undefined)
    throw new Unrenderable(
      `${open}: a shell of ${digits(surface.volume)} m² whose thickness nobody gave; give its thickness or its mass, or close its holes`,
    );
  const walls = thickness === undefined ? '' : ` of ${digits(thickness * 1_000)} mm`;
  return {
    moments: momentsOfWalls(mesh, thickness ?? 1),
    isClosed: false,
    said: `in walls${walls} over ${digits(surface.volume)} m²; ${open}`,
  };
}

/** How far the volume of what collides is from that of a mesh: proved, or lost. Nobody knows that of walls without thickness. */
function volumeTold(
  parts: number,
  colliding: number,
  { moments, isClosed }: Substance,
  { thickness }: SimReady,
): Pick<Prop, 'proof'> & { losses: Loss[] } {
  if (!isClosed && thickness === undefined) return { proof: [], losses: [] };
  const more = colliding / moments.volume - 1;
  const measured = Math.abs(more);
  if (measured <= MAX_DIFFERENCE) {
    const what = 'the volume of what collides, beside that of the mesh';
    return { proof: [{ what, measured, bound: MAX_DIFFERENCE }], losses: [] };
  }
  const beside = isClosed
    ? `${percent(more)} ${more > 0 ? 'more' : 'less'} than the mesh`
    : `its walls ${litres(moments.volume)}`;
  const why = `${parts} convex parts enclose ${litres(colliding)}, ${beside}`;
  return { proof: [], losses: [{ what: 'volume of what collides', names: [], why }] };
}

/** In metres: of what sizes things that people handle are, if 1 in their file is so much. */
const READINGS = [
  { unit: 'm', words: 'metres', smallest: 0.005 },
  { unit: 'cm', words: 'centimetres', smallest: 0.02 },
  { unit: 'mm', words: 'millimetres', smallest: 0.002 },
] as const;
const LARGEST = 5;

/** The scale of a mesh. @throws Unrenderable where nobody says its unit, and its size does not tell. */
function scaleOf(
  mesh: TriangleMesh,
  { unit, height }: SimReady,
  isMetric: boolean,
): { scale: number; assumed: Loss[] } {
  const [x, y, z] = subtract(...(cornersOf(mesh).toReversed() as [Vector3, Vector3]));
  if (height !== undefined && !(z > 0)) throw new Unrenderable('the mesh is flat, and has no height');
  if (height !== undefined) return { scale: height / z, assumed: [] };
  if (unit !== undefined) return { scale: LENGTH_UNITS[unit], assumed: [] };
  const side = Math.max(x, y, z);
  const readings = READINGS.filter(({ unit, smallest }) => {
    const size = side * LENGTH_UNITS[unit];
    return size >= smallest && size <= LARGEST;
  });
  const [only, ...others] = readings;
  if (isMetric && only?.unit === 'm') return { scale: 1, assumed: [] };
  if (only === undefined || isMetric)
    throw new Unrenderable(
      `the mesh is ${digits(side)} ${isMetric ? 'm' : 'units'} long, as no prop is; give its unit or height`,
    );
  const length = (reading: (typeof READINGS)[number]) =>
    `${digits(side)} ${reading.unit} long in ${reading.words}`;
  if (others.length > 0)
    throw new Unrenderable(
      `nobody says what 1 in the file is: the mesh is ${listed(readings.map(length))}; give its unit: ${listed(readings.map(({ unit }) => unit))}`,
    );
  const why = `the format has none: ${length(only)}, the only one in which props are as long`;
  return { scale: LENGTH_UNITS[only.unit], assumed: [{ what: 'unit of length', names: [], why }] };
}

function listed(words: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(words);
}

function digits(value: number): number {
  return Number(value.toPrecision(3));
}

function litres(volume: number): string {
  return `${digits(volume * 1_000)} litres`;
}

function percent(share: number): string {
  return `${Number(Math.abs(share * 100).toPrecision(2))} %`;
}

function shapeOf(name: string, role: Shape['role'], parts: readonly MeshPart[]): Shape {
  return { name, role, pose: IDENTITY, form: { type: 'mesh', name, parts }, material: undefined };
}

function joined(meshes: readonly TriangleMesh[]): TriangleMesh {
  const size = (of: keyof TriangleMesh) => meshes.reduce((sum, mesh) => sum + mesh[of].length, 0);
  const all = { positions: new Float64Array(size('positions')), indices: new Uint32Array(size('indices')) };
  let [vertices, corners] = [0, 0];
  for (const { positions, indices } of meshes) {
    all.positions.set(positions, vertices * 3);
    all.indices.set(
      indices.map((vertex) => vertex + vertices),
      corners,
    );
    vertices += positions.length / 3;
    corners += indices.length;
  }
  return all;
}

/** A hull whose triangles face outwards. */
function outwards(part: TriangleMesh): TriangleMesh {
  if (momentsOf(part).volume >= 0) return part;
  return { positions: part.positions, indices: Uint32Array.from(part.indices).reverse() };
}

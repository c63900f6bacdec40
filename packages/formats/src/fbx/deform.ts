import { type Matrix4, multiply } from '../model/matrix.ts';
import type { Geometry } from '../model/scene.ts';
import type { Budget } from '../reading/limits.ts';
import type { FbxDocument, FbxObject } from './document.ts';
import type { FbxPart } from './geometry.ts';
import { numbersWithin } from './reading.ts';
import { numberOf, recordNamed } from './record.ts';

/** A bone that moves control points of a mesh. */
interface Cluster {
  readonly bone: FbxObject;
  /** From the mesh to the bone, when they were bound. */
  readonly bound: Matrix4;
  readonly controls: Float64Array;
  readonly weights: Float64Array;
}

/** The bones that move a mesh. */
export type FbxSkin = readonly Cluster[];

/** The skin of a geometry; undefined if it has none. */
export function skinOf(document: FbxDocument, geometry: FbxObject, budget: Budget): FbxSkin | undefined {
  const clusters = deformersOf(document, geometry, 'Skin').flatMap((skin) =>
    deformersOf(document, skin, 'Cluster'),
  );
  budget.spend('nodes', clusters.length);
  const bound = clusters.flatMap((cluster): Cluster[] => {
    const bone = document.connectedTo(cluster, 'Model')[0]?.object;
    const records = cluster.record.children;
    const read = (name: string) => numbersWithin(recordNamed(records, name), budget);
    const [controls, weights, matrix] = [read('Indexes'), read('Weights'), read('Transform')];
    if (bone === undefined || matrix.length !== 16 || !matrix.every(Number.isFinite)) return [];
    return [{ bone, bound: [...matrix] as unknown as Matrix4, controls, weights }];
  });
  return bound.length > 0 ? bound : undefined;
}

/** Before 7.0 the parts of deformers are deformers too. */
function deformersOf(document: FbxDocument, object: FbxObject, subtype: string): FbxObject[] {
  return document
    .connectedTo(object)
    .map((connection) => connection.object)
    .filter(({ type, subtype: own }) => /Deformer$/.test(type) && own === subtype);
}

/** Moves control points to where the shapes of a geometry are at rest. */
export function applyShapes(
  document: FbxDocument,
  geometry: FbxObject,
  points: Float64Array,
  budget: Budget,
): void {
  const channels = deformersOf(document, geometry, 'BlendShape').flatMap((shapes) =>
    deformersOf(document, shapes, 'BlendShapeChannel'),
  );
  budget.spend('nodes', channels.length);
  for (const channel of channels) {
    const percent = numberOf(recordNamed(channel.record.children, 'DeformPercent')?.values[0]);
    const share = (Number.isFinite(percent) ? percent : 0) / 100;
    // Of several shapes in between, the last is the whole.
    const shape = document.connectedTo(channel, 'Geometry').at(-1)?.object;
    if (share === 0 || shape === undefined) continue;
    const records = shape.record.children;
    const rows = numbersWithin(recordNamed(records, 'Indexes'), budget);
    const moves = numbersWithin(recordNamed(records, 'Vertices'), budget);
    for (const [row, control] of rows.entries()) {
      for (let k = 0; k < 3; k++) {
        const at = control * 3 + k;
        if (at in points) points[at] = (points[at] ?? 0) + share * (moves[row * 3 + k] ?? 0);
      }
    }
  }
}

/**
 * The matrices that move control points, twelve numbers each (columns of three): the mean of those of their bones, and
 * `unbound` for the points that no bone moves.
 */
export function skinMatrices(
  skin: FbxSkin,
  controls: number,
  worlds: ReadonlyMap<FbxObject, Matrix4>,
  unbound: Matrix4,
  geometric: Matrix4,
): Float64Array {
  const sums = new Float64Array(controls * 12);
  const totals = new Float64Array(controls);
  for (const { bone, bound, controls: list, weights } of skin) {
    const world = worlds.get(bone);
    if (world === undefined) continue;
    const matrix = multiply(multiply(world, bound), geometric);
    for (const [row, control] of list.entries()) {
      const weight = weights[row] ?? 0;
      if (!(control >= 0 && control < controls && weight > 0)) continue;
      totals[control] = (totals[control] ?? 0) + weight;
      for (let k = 0; k < 12; k++)
        sums[control * 12 + k] = (sums[control * 12 + k] ?? 0) + weight * (matrix[CELLS[k] ?? 0] ?? 0);
    }
  }
  for (let control = 0; control < controls; control++) {
    const total = totals[control] ?? 0;
    for (let k = 0; k < 12; k++) {
      const at = control * 12 + k;
      sums[at] = total > 0 ? (sums[at] ?? 0) / total : (unbound[CELLS[k] ?? 0] ?? 0);
    }
  }
  return sums;
}

/** The cells of a matrix without its last row, which is always 0, 0, 0, 1. */
const CELLS = [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14];

/** The geometry of a part where its control points are moved to. */
export function skinned({ geometry, controls }: FbxPart, matrices: Float64Array): Geometry {
  const positions = new Float32Array(geometry.positions.length);
  const normals = new Float32Array(geometry.normals.length);
  for (const [vertex, control] of controls.entries()) {
    const at = control * 12;
    const cell = (k: number) => matrices[at + k] ?? 0;
    const from = (table: Float32Array, axis: number) => table[vertex * 3 + axis] ?? 0;
    for (let k = 0; k < 3; k++) {
      const [x, y, z] = [cell(k), cell(3 + k), cell(6 + k)];
      const along = (table: Float32Array) => x * from(table, 0) + y * from(table, 1) + z * from(table, 2);
      positions[vertex * 3 + k] = along(geometry.positions) + cell(9 + k);
      normals[vertex * 3 + k] = along(geometry.normals);
    }
    const length = Math.hypot(...[0, 1, 2].map((k) => from(normals, k))) || 1;
    for (let k = 0; k < 3; k++) normals[vertex * 3 + k] = (normals[vertex * 3 + k] ?? 0) / length;
  }
  return { ...geometry, positions, normals };
}

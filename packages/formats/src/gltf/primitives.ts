import { type Accessor, MathUtils, type Primitive } from '@gltf-transform/core';
import { gather, sequentialIndices, withCreaseNormals } from '../model/normals.ts';
import type { Geometry } from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';

/** What a primitive shows: triangles with the binding of their vertices to joints, line segments, or points. */
export type Shape =
  | { readonly kind: 'triangles'; readonly geometry: Geometry; readonly joints: SkinBinding | undefined }
  | {
      readonly kind: 'lines';
      readonly positions: Float32Array;
      readonly colors: Float32Array | undefined;
      readonly ends: Uint32Array;
    }
  | { readonly kind: 'points'; readonly positions: Float32Array; readonly colors: Float32Array | undefined };

/** Four joints and their weights per vertex. */
export interface SkinBinding {
  readonly joints: Float32Array;
  readonly weights: Float32Array;
}

/** Modes of primitives. */
const POINTS = 0;
const LINES = 1;
const LINE_LOOP = 2;
const TRIANGLES = 4;
const TRIANGLE_FAN = 6;

/** Reads a primitive with its morph targets at the given weights; undefined if it has no positions. */
export function readPrimitive(
  primitive: Primitive,
  weights: readonly number[],
  budget: Budget,
): Shape | undefined {
  const position = primitive.getAttribute('POSITION');
  if (position === null || position.getElementSize() !== 3) return undefined;
  const count = position.getCount();
  budget.spend('vertices', count);
  const positions = morphed(floatsOf(position), 'POSITION', primitive, weights);
  const mode = primitive.getMode();
  if (mode === POINTS) return { kind: 'points', positions, colors: colorsOf(primitive, count, 3) };
  const list = verticesOf(primitive, count);
  if (mode < TRIANGLES) {
    const ends = asSegments(list, mode);
    budget.spend('triangles', ends.length / 2);
    return { kind: 'lines', positions, colors: colorsOf(primitive, count, 3), ends };
  }
  const indices = asTriangles(list, mode);
  budget.spend('triangles', indices.length / 3);
  return trianglesOf(primitive, positions, indices, weights);
}

function trianglesOf(
  primitive: Primitive,
  positions: Float32Array,
  indices: Uint32Array,
  weights: readonly number[],
): Shape {
  const count = positions.length / 3;
  const named = (name: string, width: number) => column(primitive.getAttribute(name), width, count);
  const laid = {
    uvs: named('TEXCOORD_0', 2),
    uvs1: named('TEXCOORD_1', 2),
    colors: colorsOf(primitive, count, 4),
  };
  const joints = named('JOINTS_0', 4);
  const jointWeights = named('WEIGHTS_0', 4);
  const binding = joints && jointWeights ? { joints, weights: jointWeights } : undefined;
  const normals = named('NORMAL', 3);
  if (normals === undefined) {
    const geometry = withCreaseNormals(positions, indices, laid);
    return { kind: 'triangles', geometry, joints: binding && splitBinding(binding, geometry.origins) };
  }
  const turned = morphed(normals, 'NORMAL', primitive, weights);
  return { kind: 'triangles', geometry: { positions, indices, normals: turned, ...laid }, joints: binding };
}

/** The vertices in the order in which the primitive connects them. @throws Unrenderable when one does not exist. */
function verticesOf(primitive: Primitive, count: number): Uint32Array {
  const indices = primitive.getIndices()?.getArray();
  if (indices === undefined || indices === null) return sequentialIndices(count);
  const list = Uint32Array.from(indices);
  if (list.some((vertex) => vertex >= count))
    throw new Unrenderable('a glTF mesh names vertices that do not exist');
  return list;
}

/** Lists, strips and fans as a list. */
function asTriangles(list: Uint32Array, mode: number): Uint32Array {
  if (mode === TRIANGLES) return list.subarray(0, list.length - (list.length % 3));
  const triangles = new Uint32Array(Math.max(0, list.length - 2) * 3);
  for (let i = 0; i + 2 < list.length; i++) {
    const odd = i % 2;
    const corners = mode === TRIANGLE_FAN ? [0, i + 1, i + 2] : [i + odd, i + 1 - odd, i + 2];
    for (const [k, corner] of corners.entries()) triangles[i * 3 + k] = list[corner] as number;
  }
  return triangles;
}

/** Lists, loops and strips as a list. */
function asSegments(list: Uint32Array, mode: number): Uint32Array {
  if (mode === LINES) return list.subarray(0, list.length - (list.length % 2));
  const length = mode === LINE_LOOP ? list.length : Math.max(0, list.length - 1);
  return Uint32Array.from(
    { length: length * 2 },
    (_, i) => list[((i >> 1) + (i & 1)) % list.length] as number,
  );
}

function morphed(
  values: Float32Array,
  name: string,
  primitive: Primitive,
  weights: readonly number[],
): Float32Array {
  const targets = primitive
    .listTargets()
    .map((target, k) => ({ target: target.getAttribute(name), weight: weights[k] ?? 0 }));
  const moving = targets.filter(
    ({ target, weight }) => target !== null && Number.isFinite(weight) && weight !== 0,
  );
  if (moving.length === 0) return values;
  const out = values.slice();
  for (const { target, weight } of moving) {
    const moves = target === null ? values : floatsOf(target);
    for (let i = 0; i < Math.min(out.length, moves.length); i++) {
      out[i] = (out[i] as number) + weight * (moves[i] as number);
    }
  }
  return out;
}

/** Colours of vertices, `width` numbers each, 0 to 1; a missing opacity is 1. */
function colorsOf(primitive: Primitive, count: number, width: 3 | 4): Float32Array | undefined {
  const accessor = primitive.getAttribute('COLOR_0');
  const values = column(accessor, 3, count) ?? column(accessor, 4, count);
  if (accessor === null || values === undefined) return undefined;
  const given = accessor.getElementSize();
  const colors = new Float32Array(count * width).fill(1);
  for (let vertex = 0; vertex < count; vertex++) {
    for (let k = 0; k < Math.min(width, given); k++) {
      colors[vertex * width + k] = Math.min(1, Math.max(0, values[vertex * given + k] as number));
    }
  }
  return colors;
}

function splitBinding(binding: SkinBinding, corners: Uint32Array): SkinBinding {
  return { joints: gather(binding.joints, corners, 4), weights: gather(binding.weights, corners, 4) };
}

/** The elements of an accessor as floats, normalised integers as fractions. */
export function floatsOf(accessor: Accessor): Float32Array {
  const values = accessor.getArray() ?? new Float32Array();
  if (values instanceof Float32Array) return values;
  if (!accessor.getNormalized()) return Float32Array.from(values);
  const type = accessor.getComponentType();
  return Float32Array.from(values as ArrayLike<number>, (value) =>
    MathUtils.decodeNormalizedInt(value, type),
  );
}

/** The elements as floats; undefined without an accessor, or if it has another width or fewer than `count` elements. */
export function column(accessor: Accessor | null, width: number, count: number): Float32Array | undefined {
  const fits = accessor?.getElementSize() === width && accessor.getCount() >= count;
  return fits ? floatsOf(accessor) : undefined;
}

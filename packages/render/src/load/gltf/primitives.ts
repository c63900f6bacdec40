import { Unrenderable } from '../../errors.ts';
import { countUp, gather, withCreaseNormals } from '../../geometry/normals.ts';
import type { Budget } from '../../limits.ts';
import type { Geometry } from '../../scene.ts';
import type { GltfAccessors, Values } from './accessors.ts';
import type { GltfBuffers } from './buffers.ts';
import { type GltfPrimitive, listOf } from './document.ts';
import { decodeDraco } from './draco.ts';

/** A primitive's triangles, with what binds its vertices to joints; or its points. */
export type Primitive =
  | { readonly kind: 'triangles'; readonly geometry: Geometry; readonly joints: SkinBinding | undefined }
  | { readonly kind: 'points'; readonly positions: Float32Array; readonly colors: Float32Array | undefined };

/** Four joints and their weights per vertex. */
export interface SkinBinding {
  readonly joints: Float64Array;
  readonly weights: Float64Array;
}

const POINTS = 0;
const TRIANGLES = 4;

/** Reads a primitive with its morph targets at the given weights. Lines have no surface: undefined. */
export async function readPrimitive(
  primitive: GltfPrimitive,
  weights: readonly number[],
  accessors: GltfAccessors,
  buffers: GltfBuffers,
  budget: Budget,
): Promise<Primitive | undefined> {
  const mode = primitive.mode ?? TRIANGLES;
  if (mode !== POINTS && mode < TRIANGLES) return undefined;
  const { attributes, packedIndices } = await readAttributes(primitive, accessors, buffers, budget);
  const position = attributes.get('POSITION');
  if (position === undefined || position.width !== 3) return undefined;
  const positions = Float32Array.from(position.data);
  await addMorphs(positions, 'POSITION', primitive, weights, accessors);
  if (mode === POINTS) {
    const rgba = colorsOf(attributes.get('COLOR_0'), position.count);
    const rgb =
      rgba &&
      gather(
        rgba,
        Uint32Array.from({ length: position.count * 3 }, (_, i) => i + Math.floor(i / 3)),
        1,
      );
    return { kind: 'points', positions, colors: rgb };
  }
  const list = packedIndices ?? (await readIndices(primitive, position.count, accessors));
  const indices = asTriangles(list, mode, position.count);
  budget.spend('triangles', indices.length / 3);
  return finishTriangles(positions, indices, attributes, primitive, weights, accessors);
}

async function finishTriangles(
  positions: Float32Array,
  indices: Uint32Array,
  attributes: ReadonlyMap<string, Values>,
  primitive: GltfPrimitive,
  weights: readonly number[],
  accessors: GltfAccessors,
): Promise<Primitive> {
  const count = positions.length / 3;
  const column = (name: string, width: number) => {
    const values = attributes.get(name);
    return values?.width === width && values.count >= count ? values : undefined;
  };
  const floats = (values: Values | undefined) => values && Float32Array.from(values.data);
  const laid = {
    uvs: floats(column('TEXCOORD_0', 2)),
    uvs1: floats(column('TEXCOORD_1', 2)),
    colors: colorsOf(attributes.get('COLOR_0'), count),
  };
  const joints = column('JOINTS_0', 4)?.data;
  const jointWeights = column('WEIGHTS_0', 4)?.data;
  const binding = joints && jointWeights ? { joints, weights: jointWeights } : undefined;
  const normals = floats(column('NORMAL', 3));
  if (normals === undefined) {
    const geometry = withCreaseNormals(positions, indices, laid);
    return { kind: 'triangles', geometry, joints: binding && splitBinding(binding, geometry.origins) };
  }
  await addMorphs(normals, 'NORMAL', primitive, weights, accessors);
  return { kind: 'triangles', geometry: { positions, indices, normals, ...laid }, joints: binding };
}

async function readAttributes(
  primitive: GltfPrimitive,
  accessors: GltfAccessors,
  buffers: GltfBuffers,
  budget: Budget,
): Promise<{ attributes: ReadonlyMap<string, Values>; packedIndices: Uint32Array | undefined }> {
  const draco = primitive.extensions?.KHR_draco_mesh_compression;
  if (draco !== undefined) {
    const decoded = await decodeDraco(await buffers.view(draco.bufferView), draco.attributes ?? {}, budget);
    return { attributes: decoded.attributes, packedIndices: decoded.indices };
  }
  const attributes = new Map<string, Values>();
  for (const name of READ) {
    const index = primitive.attributes?.[name];
    if (index !== undefined) attributes.set(name, await accessors.values(index));
  }
  return { attributes, packedIndices: undefined };
}

const READ = ['POSITION', 'NORMAL', 'TEXCOORD_0', 'TEXCOORD_1', 'COLOR_0', 'JOINTS_0', 'WEIGHTS_0'];

async function readIndices(
  primitive: GltfPrimitive,
  count: number,
  accessors: GltfAccessors,
): Promise<Uint32Array> {
  if (primitive.indices === undefined) return countUp(count);
  return Uint32Array.from((await accessors.values(primitive.indices)).data);
}

/** Lists, strips (5) and fans (6) as a list. @throws Unrenderable when a vertex does not exist. */
function asTriangles(list: Uint32Array, mode: number, count: number): Uint32Array {
  if (list.some((vertex) => vertex >= count))
    throw new Unrenderable('a glTF mesh names vertices that do not exist');
  if (mode === TRIANGLES) return list.subarray(0, list.length - (list.length % 3));
  const triangles = new Uint32Array(Math.max(0, list.length - 2) * 3);
  for (let i = 0; i + 2 < list.length; i++) {
    const corners = mode === 6 ? [0, i + 1, i + 2] : i % 2 === 0 ? [i, i + 1, i + 2] : [i + 1, i, i + 2];
    for (const [k, corner] of corners.entries()) triangles[i * 3 + k] = list[corner] as number;
  }
  return triangles;
}

async function addMorphs(
  values: Float32Array,
  name: string,
  primitive: GltfPrimitive,
  weights: readonly number[],
  accessors: GltfAccessors,
): Promise<void> {
  for (const [k, target] of listOf(primitive.targets).entries()) {
    const weight = weights[k] ?? 0;
    const index = target[name];
    if (weight === 0 || index === undefined) continue;
    const { data } = await accessors.values(index);
    for (let i = 0; i < Math.min(values.length, data.length); i++) {
      values[i] = (values[i] as number) + weight * (data[i] as number);
    }
  }
}

function colorsOf(values: Values | undefined, count: number): Float32Array | undefined {
  if (values === undefined || values.count < count || (values.width !== 3 && values.width !== 4))
    return undefined;
  const colors = new Float32Array(count * 4).fill(1);
  for (let vertex = 0; vertex < count; vertex++) {
    for (let k = 0; k < values.width; k++) {
      colors[vertex * 4 + k] = Math.min(1, Math.max(0, values.data[vertex * values.width + k] as number));
    }
  }
  return colors;
}

function splitBinding(binding: SkinBinding, corners: Uint32Array): SkinBinding {
  const split = (values: Float64Array) => {
    const out = new Float64Array(corners.length * 4);
    for (const [corner, vertex] of corners.entries())
      out.set(values.subarray(vertex * 4, vertex * 4 + 4), corner * 4);
    return out;
  };
  return { joints: split(binding.joints), weights: split(binding.weights) };
}

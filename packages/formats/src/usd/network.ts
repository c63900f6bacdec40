import type { UsdStage } from './stage/stage.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { isAsset, type UsdAsset, type UsdValue } from './stage/values.ts';
import { textOf } from './values.ts';

/** Where an input gets its value from: a value, or an output of a shader. */
export type Source =
  | { readonly value: UsdValue | undefined }
  | { readonly shader: UsdPrim; readonly output: string };

const MAX_STEPS = 64;

/** Follows an input through the interfaces of materials and graphs of nodes. */
export function sourceOf(stage: UsdStage, prim: UsdPrim, property: string): Source {
  let [owner, name]: [UsdPrim, string] = [prim, property];
  for (let step = 0; step < MAX_STEPS; step++) {
    const [connection] = owner.connections(name);
    if (connection === undefined) return { value: owner.value(name) };
    const dot = connection.lastIndexOf('.');
    const target = stage.at(connection.slice(0, dot));
    if (target === undefined) return { value: owner.value(name) };
    name = connection.slice(dot + 1);
    owner = target;
    if (name.startsWith('outputs:') && target.typeName === 'Shader')
      return { shader: target, output: name.slice('outputs:'.length) };
  }
  return { value: undefined };
}

/** The kind of a shader: `UsdPreviewSurface`, `ND_image_color3`, `OmniPBR`. */
export function shaderKind(shader: UsdPrim): string {
  const id = textOf(shader.value('info:id'));
  if (id !== undefined && id !== '') return id;
  const named = textOf(shader.value('info:mdl:sourceAsset:subIdentifier'));
  const source = shader.value('info:mdl:sourceAsset');
  return named ?? (isAsset(source) ? source.asset.replace(/^.*\/|\.mdl$/g, '') : '');
}

/** A picture that a shader reads. */
export interface PictureUse {
  readonly file: UsdAsset;
  /** Which part of it: `rgb`, `r`, `a`. */
  readonly channel: string;
  /** The shader that reads it. */
  readonly shader: UsdPrim;
  /** The name of the texture coordinates. */
  readonly uvs: string;
  /** u' = a·u + c·v + e, v' = b·u + d·v + f, with v upwards. */
  readonly transform: Affine;
}

export type Affine = readonly [number, number, number, number, number, number];

/** Inputs through which shaders between a picture and a surface pass it on. */
const PASSED_ON = ['in', 'in1', 'fg', 'bg', 'in2', 'base', 'texture', 'input', 'color', 'a', 'b', 'x'];
const FILES = ['file', 'texture', 'filename', 'diffuse_texture', 'tex'];
const IMAGE = /UVTexture|^ND_(?:tiled)?image_|^ND_gltf_(?:colorimage|image|normalmap)|lookup|^ND_hextiled/i;

/** Finds the picture that a source shows, directly or through other shaders. */
export function pictureOf(
  stage: UsdStage,
  source: Source,
  defaultUvs: string,
  seen: Set<UsdPrim> = new Set(),
): PictureUse | undefined {
  if (!('shader' in source) || seen.has(source.shader)) return undefined;
  seen.add(source.shader);
  const { shader, output } = source;
  const kind = shaderKind(shader);
  if (IMAGE.test(kind)) {
    for (const name of FILES) {
      const found = sourceOf(stage, shader, `inputs:${name}`);
      if ('value' in found && isAsset(found.value) && found.value.asset !== '')
        return { file: found.value, channel: output, shader, ...placedBy(stage, shader, defaultUvs) };
    }
    return undefined;
  }
  for (const name of PASSED_ON) {
    const found = pictureOf(stage, sourceOf(stage, shader, `inputs:${name}`), defaultUvs, seen);
    if (found === undefined) continue;
    const part = kind.startsWith('ND_extract')
      ? extracted(stage, shader)
      : /^(?:out)?[rgba]$/.test(output)
        ? output
        : undefined;
    return part === undefined ? found : { ...found, channel: part };
  }
  return undefined;
}

function extracted(stage: UsdStage, shader: UsdPrim): string {
  const index = sourceOf(stage, shader, 'inputs:index');
  return 'value' in index && typeof index.value === 'number'
    ? (['r', 'g', 'b', 'a'][index.value] ?? 'r')
    : 'r';
}

const UNMOVED: Affine = [1, 0, 0, 1, 0, 0];

/** Which coordinates a shader uses, and how they are moved, turned and scaled. */
function placedBy(stage: UsdStage, shader: UsdPrim, defaultUvs: string): { uvs: string; transform: Affine } {
  let transform = UNMOVED;
  const scaled = (by: readonly [number, number]) => {
    transform = chained(transform, [by[0], 0, 0, by[1], 0, 0]);
  };
  const tiling = pair(stage, shader, 'uvtiling');
  if (tiling !== undefined) scaled(tiling);
  let source = firstSource(stage, shader, ['st', 'texcoord', 'uv']);
  for (let step = 0; step < MAX_STEPS && 'shader' in source; step++) {
    const { shader: node } = source;
    const kind = shaderKind(node);
    if (kind === 'UsdTransform2d' || kind.startsWith('ND_place2d')) {
      const isPlace = kind !== 'UsdTransform2d';
      transform = chained(transform, moving(stage, node, isPlace));
      source = firstSource(stage, node, isPlace ? ['texcoord'] : ['in']);
    } else if (/^ND_(?:multiply|divide)_vector2/.test(kind)) {
      const by = pair(stage, node, 'in2');
      if (by !== undefined) scaled(kind.includes('divide') ? [1 / (by[0] || 1), 1 / (by[1] || 1)] : by);
      source = firstSource(stage, node, ['in1']);
    } else {
      const named = firstSource(stage, node, ['varname', 'geomprop']);
      const name = 'value' in named ? textOf(named.value) : undefined;
      return { uvs: name ?? defaultUvs, transform };
    }
  }
  return { uvs: defaultUvs, transform };
}

function firstSource(stage: UsdStage, shader: UsdPrim, names: readonly string[]): Source {
  for (const name of names) {
    const source = sourceOf(stage, shader, `inputs:${name}`);
    if ('shader' in source || source.value !== undefined) return source;
  }
  return { value: undefined };
}

function pair(stage: UsdStage, shader: UsdPrim, name: string): readonly [number, number] | undefined {
  const source = sourceOf(stage, shader, `inputs:${name}`);
  if (!('value' in source) || !Array.isArray(source.value)) return undefined;
  const [x, y] = source.value as readonly number[];
  return typeof x === 'number' && typeof y === 'number' ? [x, y] : undefined;
}

/** UsdTransform2d scales, turns and moves; `place2d` of MaterialX does the reverse. */
function moving(stage: UsdStage, shader: UsdPrim, isPlace: boolean): Affine {
  const number = (name: string) => {
    const source = sourceOf(stage, shader, `inputs:${name}`);
    return 'value' in source && typeof source.value === 'number' ? source.value : 0;
  };
  const [sx, sy] = pair(stage, shader, 'scale') ?? [1, 1];
  const [tx, ty] = pair(stage, shader, isPlace ? 'offset' : 'translation') ?? [0, 0];
  const angle = ((isPlace ? number('rotate') : number('rotation')) * Math.PI) / 180;
  const [x, y] = isPlace ? [1 / (sx || 1), 1 / (sy || 1)] : [sx, sy];
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [cos * x, sin * x, -sin * y, cos * y, isPlace ? -tx : tx, isPlace ? -ty : ty];
}

/** First `inner`, then `outer`. */
function chained(outer: Affine, inner: Affine): Affine {
  const [a, b, c, d, e, f] = outer;
  const [p, q, r, s, t, u] = inner;
  return [a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s, a * t + c * u + e, b * t + d * u + f];
}

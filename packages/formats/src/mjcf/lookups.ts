import type { MjModel } from '@mujoco/mujoco';
import { compose, type Matrix4 } from '../model/matrix.ts';

/** Kinds of things that can have names, as elements of MJCF are called: where the names are, and how many things. */
const KINDS = {
  body: ['name_bodyadr', 'nbody'],
  joint: ['name_jntadr', 'njnt'],
  geom: ['name_geomadr', 'ngeom'],
  actuator: ['name_actuatoradr', 'nactuator'],
  equality: ['name_eqadr', 'neq'],
  material: ['name_matadr', 'nmat'],
  texture: ['name_texadr', 'ntex'],
  tendon: ['name_tendonadr', 'ntendon'],
  keyframe: ['name_keyadr', 'nkey'],
  sensor: ['name_sensoradr', 'nsensor'],
  plugin: ['name_pluginadr', 'nplugin'],
  flex: ['name_flexadr', 'nflex'],
  skin: ['name_skinadr', 'nskin'],
  site: ['name_siteadr', 'nsite'],
  camera: ['name_camadr', 'ncam'],
  light: ['name_lightadr', 'nlight'],
  pair: ['name_pairadr', 'npair'],
  numeric: ['name_numericadr', 'nnumeric'],
  text: ['name_textadr', 'ntext'],
  tuple: ['name_tupleadr', 'ntuple'],
} as const satisfies Record<string, readonly [addresses: keyof MjModel, count: keyof MjModel]>;

export type Kind = keyof typeof KINDS;

/** The names of all things of a kind; one without a name is called by its kind and number, as no other is. */
export function namesOf(model: MjModel, kind: Kind): string[] {
  const [addresses, count] = KINDS[kind];
  const table: unknown = model[addresses];
  const names = Array.from({ length: model[count] }, (_, id) => nameOf(model, table, id));
  const taken = new Set(names);
  return names.map((name, id) => {
    if (name !== '') return name;
    let invented = `${kind}_${id}`;
    while (taken.has(invented)) invented += '_';
    taken.add(invented);
    return invented;
  });
}

/** Reads a name of a model; empty for what has none. `addresses` is its `name_…adr` of the kind of thing. */
export function nameOf(model: MjModel, addresses: unknown, id: number): string {
  const names = model.names as ArrayLike<number>;
  const start = (addresses as ArrayLike<number>)[id] ?? 0;
  let end = start;
  while (end < names.length && names[end] !== 0) end++;
  return new TextDecoder().decode(
    Uint8Array.from({ length: end - start }, (_, at) => names[start + at] ?? 0),
  );
}

/** Whether the range of a joint is its limits. `jnt_limited` itself has a type that the WebAssembly build cannot hand out as a table. */
export function isLimited(model: MjModel, joint: number): boolean {
  const accessor = model.jnt(joint);
  const limited = Boolean(accessor.limited);
  accessor.delete();
  return limited;
}

/** From a position and a quaternion w, x, y, z. */
export function placement(position: ArrayLike<number>, turn: ArrayLike<number>): Matrix4 {
  const [x = 0, y = 0, z = 0] = Array.from(position);
  const [w = 1, i = 0, j = 0, k = 0] = Array.from(turn);
  return compose([x, y, z], [i, j, k, w], [1, 1, 1]);
}

/** One row of a table of a model. */
export function row(values: unknown, index: number, width: number): number[] {
  return Array.from((values as Float64Array).subarray(index * width, (index + 1) * width));
}

export function pair(values: unknown, index: number): [number, number] {
  const [lower = 0, upper = 0] = row(values, index, 2);
  return [lower, upper];
}

export function integer(values: unknown, index: number): number {
  return (values as Int32Array)[index] ?? 0;
}

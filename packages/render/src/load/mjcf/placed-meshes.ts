import type { MjModel } from '@mujoco/mujoco';
import { MESH } from './geoms.ts';

/** Values of a box in `geom_aabb`: its centre, then half of each side. */
const BOX_VALUES = 6;

/** Each mesh that a geom shows, with the longest side of its bounding box in metres. */
export function placedMeshes(model: MjModel): { name: string; side: number }[] {
  const types = model.geom_type as ArrayLike<number>;
  const meshes = model.geom_dataid as ArrayLike<number>;
  const boxes = model.geom_aabb as ArrayLike<number>;
  const sides = new Map<number, number>();
  for (let geom = 0; geom < types.length; geom++) {
    const mesh = meshes[geom] ?? -1;
    if (types[geom] !== MESH || mesh < 0 || sides.has(mesh)) continue;
    const halves = [3, 4, 5].map((axis) => boxes[geom * BOX_VALUES + axis] ?? 0);
    sides.set(mesh, 2 * Math.max(...halves));
  }
  return [...sides].map(([mesh, side]) => ({ name: nameOf(model, mesh), side }));
}

function nameOf(model: MjModel, mesh: number): string {
  const names = model.names as ArrayLike<number>;
  const start = (model.name_meshadr as ArrayLike<number>)[mesh] ?? 0;
  let end = start;
  while (end < names.length && names[end] !== 0) end++;
  return new TextDecoder().decode(
    Uint8Array.from({ length: end - start }, (_, at) => names[start + at] ?? 0),
  );
}

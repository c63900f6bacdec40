import { dot, type Vector3 } from '@bindery/formats/model/matrix';
import type { MjModel } from '@mujoco/mujoco';
import { at, vector } from './memory.ts';
import type { Simulator } from './simulator.ts';

/** Whether a geom can touch others, by what it says of itself. */
export function collides({ geom_contype, geom_conaffinity }: MjModel, geom: number): boolean {
  return (at(geom_contype, geom) | at(geom_conaffinity, geom)) !== 0;
}

/** Ends of a box along the axes of the world. */
export type Box = readonly [low: Vector3, high: Vector3];

/** The box around a geom in the world; not of planes. */
export function boxAround({ model, data }: Simulator, geom: number): Box {
  const { geom_aabb } = model;
  const { geom_xmat, geom_xpos } = data;
  const [middle, half] = [vector(geom_aabb, geom * 2), vector(geom_aabb, geom * 2 + 1)];
  const ends = [0, 1, 2].map((axis) => {
    const [x, y, z] = vector(geom_xmat, geom * 3 + axis);
    const centre = at(geom_xpos, geom * 3 + axis) + dot([x, y, z], middle);
    const reach = dot([Math.abs(x), Math.abs(y), Math.abs(z)], half);
    return [centre - reach, centre + reach] as const;
  });
  return [ends.map(([low]) => low) as unknown as Vector3, ends.map(([, high]) => high) as unknown as Vector3];
}

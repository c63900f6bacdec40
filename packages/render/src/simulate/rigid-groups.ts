import { subtract, type Vector3 } from '@bindery/formats/model/matrix';
import { type Box, boxAround } from './geoms.ts';
import { at } from './memory.ts';
import type { Simulator } from './simulator.ts';

/** Bodies that nothing moves against each other, with shapes. */
export interface RigidGroup {
  readonly name: string;
  /** The body in the world that it hangs on. */
  readonly root: number;
  readonly mass: number;
  /** In the world. */
  readonly centre: Vector3;
  readonly geoms: readonly number[];
  readonly box: Box;
}

export function rigidGroups(simulator: Simulator): RigidGroup[] {
  const { model, data } = simulator;
  const of = (table: unknown, count: number) =>
    Map.groupBy(
      Array.from({ length: count }, (_, index) => index),
      (index) => at(model.body_weldid, table === undefined ? index : at(table, index)),
    );
  const shapes = of(model.geom_bodyid, model.ngeom);
  return [...of(undefined, model.nbody)].flatMap(([root, bodies]) => {
    const geoms = shapes.get(root) ?? [];
    if (root === 0 || geoms.length === 0) return [];
    const masses = bodies.map((body) => at(model.body_mass, body));
    const mass = masses.reduce((sum, one) => sum + one, 0);
    const centre = [0, 1, 2].map(
      (axis) =>
        bodies.reduce((sum, body, index) => sum + at(masses, index) * at(data.xipos, body * 3 + axis), 0) /
        mass,
    );
    return {
      name: simulator.nameOf('body', root),
      root: at(model.body_rootid, root),
      mass,
      centre: centre as unknown as Vector3,
      geoms,
      box: union(geoms.map((geom) => boxAround(simulator, geom))),
    };
  });
}

export function union(boxes: readonly Box[]): Box {
  const end = (which: 0 | 1, most: (...values: number[]) => number) =>
    [0, 1, 2].map((axis) => most(...boxes.map((box) => at(box[which], axis)))) as unknown as Vector3;
  return [end(0, Math.min), end(1, Math.max)];
}

export function diagonalOf([low, high]: Box): number {
  return Math.hypot(...subtract(high, low));
}

import type { SimulationProblem } from '@bindery/formats';
import { dot, subtract, unit, type Vector3 } from '@bindery/formats/model/matrix';
import { type Box, boxAround, collides } from './geoms.ts';
import { at, GEOM, JOINT, rounded, vector } from './memory.ts';
import type { Simulator } from './simulator.ts';

/** Something that can move away as a whole. */
interface Tree {
  readonly root: number;
  /** The distance from its centre of mass to its farthest point, in metres. */
  readonly size: number;
  /** Its centre of mass, one look after the other. */
  readonly path: Vector3[];
}

/** A shape of the world. */
interface Ground {
  readonly geom: number;
  readonly place: Vector3;
  /** The third axis of its frame. */
  readonly normal: Vector3;
  readonly collides: boolean;
  /** The box around it in the world; undefined for a plane. */
  readonly box: Box | undefined;
}

/** How far something must have fallen to count as lost: this many times its size. */
const LOST = 3;
/** What lies closer below something than this many times its size holds it. */
const NEAR = 2;

/** Follows what moves freely from the start of a trial, and finds what falls out of the world. */
export class Falls {
  readonly #simulator: Simulator;
  readonly #trees: readonly Tree[];

  /** Begins with the state of the simulator. */
  constructor(simulator: Simulator) {
    this.#simulator = simulator;
    this.#trees = treesOf(simulator);
    this.look();
  }

  look(): void {
    const centres = this.#simulator.data.subtree_com as Float64Array;
    for (const { root, path } of this.#trees) path.push(vector(centres, root));
  }

  problems(when: string, isAtRest: boolean): SimulationProblem[] {
    const { gravity } = this.#simulator.model.opt;
    const weight = vector(gravity, 0);
    if (Math.hypot(...weight) === 0) return [];
    const down = unit(weight);
    const grounds = groundsOf(this.#simulator);
    return this.#trees.flatMap((tree) => this.#problemsOf(tree, down, grounds, { when, isAtRest }));
  }

  #problemsOf(
    tree: Tree,
    down: Vector3,
    grounds: readonly Ground[],
    { when, isAtRest }: { when: string; isAtRest: boolean },
  ): SimulationProblem[] {
    const { path, size, root } = tree;
    const [start, end] = endsOf(tree);
    const fallen = dot(subtract(end, start), down);
    if (!(fallen > size)) return [];
    const late = dot(subtract(end, path[Math.floor(path.length * 0.9)] ?? end), down);
    const isFalling = late > fallen / 10;
    const message = `${when}, ${this.#simulator.nameOf('body', root)} falls ${rounded(fallen)} m`;
    // What stands on a shape and moves can slip over its edge and into it.
    const passed = grounds.find(
      (ground) =>
        (isAtRest || ground.box === undefined) &&
        (ground.collides || isFalling) &&
        this.#hasPassed(tree, ground, down),
    );
    if (passed !== undefined) {
      const name = this.#simulator.nameOf('geom', passed.geom);
      return [{ code: 'falls-through-floor', message: `${message}, through ${name}` }];
    }
    // What moves can fall off the edge of what it stood on.
    const isLost = isAtRest && isFalling && fallen > LOST * size;
    if (!isLost || grounds.some((ground) => this.#distance(ground, end, down) < NEAR * size)) return [];
    return [{ code: 'nothing-below', message: `${message}: nothing holds it` }];
  }

  /** Whether something came from above a shape through it, and is farther below than it is large. */
  #hasPassed(tree: Tree, ground: Ground, down: Vector3): boolean {
    const { path, size } = tree;
    const [start, end] = endsOf(tree);
    if (ground.box === undefined) return heightOver(ground, start) >= 0 && heightOver(ground, end) < -size;
    const { box } = ground;
    const lowest = down.reduce((sum, part, axis) => sum + part * at(box[part > 0 ? 1 : 0], axis), 0);
    if (dot(end, down) - lowest < size) return false;
    return path.slice(1).some((to, step) => {
      const from = path[step] ?? to;
      const isNear = to.every(
        (value, axis) =>
          Math.max(value, at(from, axis)) >= at(box[0], axis) &&
          Math.min(value, at(from, axis)) <= at(box[1], axis),
      );
      const way = subtract(to, from);
      const length = Math.hypot(...way);
      return isNear && length > 0 && this.#distance(ground, from, unit(way)) <= length;
    });
  }

  /** How far a shape is from a point in a direction. */
  #distance(ground: Ground, from: Vector3, direction: Vector3): number {
    if (ground.box !== undefined) return this.#simulator.distanceTo(ground.geom, from, direction);
    const [height, approach] = [heightOver(ground, from), -dot(ground.normal, direction)];
    return height >= 0 && approach > 0 ? height / approach : Number.POSITIVE_INFINITY;
  }
}

function treesOf({ model, data }: Simulator): Tree[] {
  const roots = new Map<number, { root: number; size: number; path: Vector3[] }>();
  for (let body = 1; body < model.nbody; body++) {
    const parent = roots.get(at(model.body_parentid, body));
    const first = at(model.jnt_type, at(model.body_jntadr, body));
    const goesAway = at(model.body_jntnum, body) > 0 && (first === JOINT.free || first === JOINT.slide);
    if (parent !== undefined) roots.set(body, parent);
    else if (at(model.body_weldid, at(model.body_parentid, body)) === 0 && goesAway)
      roots.set(body, { root: body, size: 0, path: [] });
  }
  for (let geom = 0; geom < model.ngeom; geom++) {
    const tree = roots.get(at(model.geom_bodyid, geom));
    if (tree === undefined) continue;
    const offset = subtract(vector(data.geom_xpos, geom), vector(data.subtree_com, tree.root));
    tree.size = Math.max(tree.size, Math.hypot(...offset) + at(model.geom_rbound, geom));
  }
  return [...new Set(roots.values())].map((tree) => ({ ...tree, size: tree.size || model.stat.extent }));
}

function groundsOf(simulator: Simulator): Ground[] {
  const { model, data } = simulator;
  return Array.from({ length: model.ngeom }, (_, geom) => geom)
    .filter((geom) => at(model.body_weldid, at(model.geom_bodyid, geom)) === 0)
    .map((geom) => {
      const place = vector(data.geom_xpos, geom);
      const normal = [2, 5, 8].map((entry) => at(data.geom_xmat, geom * 9 + entry)) as unknown as Vector3;
      const isPlane = at(model.geom_type, geom) === GEOM.plane;
      const box = isPlane ? undefined : boxAround(simulator, geom);
      return { geom, place, normal, collides: collides(model, geom), box };
    });
}

function endsOf({ path }: Tree): [start: Vector3, end: Vector3] {
  const [start = [0, 0, 0]] = path;
  return [start, path.at(-1) ?? start];
}

function heightOver(plane: Ground, point: Vector3): number {
  return dot(subtract(point, plane.place), plane.normal);
}

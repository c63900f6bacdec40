import { cross, dot, subtract, type Vector3 } from '@bindery/render/models';
import type { JointControl } from '../viewer.ts';

/** A joint between a point and the ground, in the frame of the point. */
export interface Lever {
  /** Its index in the list of joints, or that of the joint that it follows. */
  readonly joint: number;
  /** How far it moves per radian or metre of that joint: 1, unless it follows it. */
  readonly factor: number;
  readonly type: 'hinge' | 'slide';
  readonly axis: Vector3;
  /** A point on the axis. */
  readonly anchor: Vector3;
}

/** A point of a model whose joints are to bring it somewhere. */
export interface Reachable {
  /** Where the point is, with the joints as they were last set. */
  point(): Vector3;
  levers(): readonly Lever[];
  /** In radians or metres. */
  value(joint: number): number;
  set(joint: number, value: number): void;
}

/** At each call, which is one for a frame. */
const ROUNDS = 8;
/** How far a joint moves in a round at most, as a part of its reach. */
const STRIDE = 0.05;
/** Relative to how far the joints move the point on average: more makes arms that are almost straight calmer, and slower. */
const DAMPING = 0.003;
/** How often joints at their limits are left out of a round. */
const MAX_LEFT_OUT = 4;

/**
 * Moves joints, within their limits, to bring a point nearer to a place: inverse kinematics by damped least squares
 * (Wampler 1986). The Jacobian is made from the axes of the joints in the world, which are known for each format with
 * joints, and not by MuJoCo, which would serve its own format alone.
 */
export function reach(model: Reachable, joints: readonly JointControl[], to: Vector3): void {
  const reachOf = (joint: number) => (joints[joint]?.max ?? 0) - (joints[joint]?.min ?? 0);
  for (let round = 0; round < ROUNDS; round++) {
    const point = model.point();
    const missing = subtract(to, point);
    let columns = jacobian(model.levers(), point, reachOf);
    let steps = leastSquares(columns, missing);
    for (let times = 0; times < MAX_LEFT_OUT; times++) {
      const free = columns.filter(({ joint }, at) =>
        isFree(joints[joint], model.value(joint), steps[at] ?? 0),
      );
      if (free.length === columns.length) break;
      columns = free;
      steps = leastSquares(columns, missing);
    }
    const longest = steps.reduce((most, step) => Math.max(most, Math.abs(step)), 0);
    if (longest < 1e-6) return;
    const part = Math.min(1, STRIDE / longest);
    for (const [at, { joint }] of columns.entries()) {
      const { min = 0, max = 0 } = joints[joint] ?? {};
      const value = model.value(joint) + (steps[at] ?? 0) * part * (max - min);
      model.set(joint, Math.min(Math.max(value, min), max));
    }
  }
  model.point();
}

/** How far the point moves when a joint goes through all of its reach; so angles and lengths are measured alike. */
interface Column {
  readonly joint: number;
  readonly moves: Vector3;
}

function jacobian(levers: readonly Lever[], point: Vector3, reachOf: (joint: number) => number): Column[] {
  const columns = new Map<number, Vector3>();
  for (const { joint, factor, type, axis, anchor } of levers) {
    const [x, y, z] = type === 'hinge' ? cross(axis, subtract(point, anchor)) : axis;
    const [a, b, c] = columns.get(joint) ?? [0, 0, 0];
    const by = factor * reachOf(joint);
    columns.set(joint, [a + x * by, b + y * by, c + z * by]);
  }
  return Array.from(columns, ([joint, moves]) => ({ joint, moves }));
}

function isFree(control: JointControl | undefined, value: number, step: number): boolean {
  return control !== undefined && (step < 0 ? value > control.min : value < control.max);
}

/** The steps Jᵀ (J Jᵀ + λ² I)⁻¹ e: a system of three equations, however many joints there are. */
function leastSquares(columns: readonly Column[], missing: Vector3): number[] {
  const sum = (i: 0 | 1 | 2, k: 0 | 1 | 2) =>
    columns.reduce((all, { moves }) => all + moves[i] * moves[k], 0);
  const [xx, yy, zz, xy, xz, yz] = [sum(0, 0), sum(1, 1), sum(2, 2), sum(0, 1), sum(0, 2), sum(1, 2)];
  const damping = DAMPING * (xx + yy + zz) + Number.MIN_VALUE;
  const a: Vector3 = [xx + damping, xy, xz];
  const b: Vector3 = [xy, yy + damping, yz];
  const c: Vector3 = [xz, yz, zz + damping];
  const volume = dot(a, cross(b, c));
  if (!(volume > 0)) return columns.map(() => 0);
  const solved: Vector3 = [
    dot(missing, cross(b, c)) / volume,
    dot(a, cross(missing, c)) / volume,
    dot(a, cross(b, missing)) / volume,
  ];
  return columns.map(({ moves }) => dot(moves, solved));
}

import { fromRotation, type Matrix4, subtract, transformPoint, turnOf, type Vector3 } from './matrix.ts';
import type { Inertial } from './mechanism.ts';

type Inertia = Inertial['inertia'];

/** The same inertial in another frame, to which `transform` leads. */
export function movedInertial({ mass, center, inertia }: Inertial, transform: Matrix4): Inertial {
  return { mass, center: transformPoint(transform, center), inertia: turnedInertia(inertia, transform) };
}

/** What bodies are together that are fixed to each other; undefined if they weigh nothing. */
export function joinedInertial(all: readonly Inertial[]): Inertial | undefined {
  const mass = all.reduce((sum, one) => sum + one.mass, 0);
  if (!(mass > 0)) return undefined;
  const along = (axis: 0 | 1 | 2) => all.reduce((sum, one) => sum + one.mass * one.center[axis], 0) / mass;
  const center: Vector3 = [along(0), along(1), along(2)];
  const moved = all.map((one) => inertiaAround(one, center));
  const sum = (at: number) => moved.reduce((total, inertia) => total + (inertia[at] ?? 0), 0);
  return { mass, center, inertia: [sum(0), sum(1), sum(2), sum(3), sum(4), sum(5)] };
}

/** The inertia about a point other than the centre of mass, along the same axes. */
export function inertiaAround({ mass, center, inertia }: Inertial, point: Vector3): Inertia {
  const [x, y, z] = subtract(center, point);
  const [xx, yy, zz, xy, xz, yz] = inertia;
  return [
    xx + mass * (y * y + z * z),
    yy + mass * (x * x + z * z),
    zz + mass * (x * x + y * y),
    xy - mass * x * y,
    xz - mass * x * z,
    yz - mass * y * z,
  ];
}

/** An inertia about the same centre, along the axes of a frame to which `turn` leads from its own. */
export function turnedInertia(inertia: Inertia, turn: Matrix4): Inertia {
  const own = rowsOf(inertia);
  const r = (row: number, column: number) => turn[column * 4 + row] ?? 0;
  const along = (a: number, b: number) => {
    let sum = 0;
    for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) sum += r(a, i) * (own[i * 3 + j] ?? 0) * r(b, j);
    return sum;
  };
  return [along(0, 0), along(1, 1), along(2, 2), along(0, 1), along(0, 2), along(1, 2)];
}

/** The moments about the principal axes, and the rotation from these axes to those of the inertia. */
export interface PrincipalInertia {
  readonly moments: Vector3;
  /** x, y, z, w. */
  readonly turn: ReturnType<typeof turnOf>;
}

/** Finds the principal axes by Jacobi's rotations. */
export function principalInertia(inertia: Inertia): PrincipalInertia {
  const a = Float64Array.from(rowsOf(inertia));
  const axes = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
  const at = (table: Float64Array, row: number, column: number) => table[row * 3 + column] as number;
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const [p, q] = largestPair(a);
    const off = at(a, p, q);
    if (off === 0) break;
    const theta = (at(a, q, q) - at(a, p, p)) / (2 * off);
    const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
    const c = 1 / Math.hypot(t, 1);
    const s = t * c;
    for (let k = 0; k < 3; k++) {
      const [kp, kq] = [at(a, k, p), at(a, k, q)];
      a[k * 3 + p] = c * kp - s * kq;
      a[k * 3 + q] = s * kp + c * kq;
      const [vp, vq] = [at(axes, k, p), at(axes, k, q)];
      axes[k * 3 + p] = c * vp - s * vq;
      axes[k * 3 + q] = s * vp + c * vq;
    }
    for (let k = 0; k < 3; k++) {
      const [pk, qk] = [at(a, p, k), at(a, q, k)];
      a[p * 3 + k] = c * pk - s * qk;
      a[q * 3 + k] = s * pk + c * qk;
    }
    a[p * 3 + q] = a[q * 3 + p] = 0;
  }
  return { moments: [at(a, 0, 0), at(a, 1, 1), at(a, 2, 2)], turn: turnOf(fromRotation(axes, 0, [0, 0, 0])) };
}

/** How far a moment may exceed the sum of the others, as a fraction of it: numbers in files are rounded. */
const TOLERANCE = 0.01;

/** Whether a body can have an inertia: no moment is larger than the sum of the others. Without any it is a frame. */
export function isPossibleInertia(inertia: Inertia): boolean {
  const [small, middle, large] = principalInertia(inertia).moments.toSorted((a, b) => a - b);
  if (small === undefined || middle === undefined || large === undefined) return false;
  return (small === 0 && large === 0) || (small > 0 && large <= (small + middle) * (1 + TOLERANCE));
}

/** More than the rotations that make the rest of any 3 × 3 matrix zero. */
const MAX_TURNS = 40;

function largestPair(a: Float64Array): readonly [number, number] {
  const pairs = [
    [0, 1],
    [0, 2],
    [1, 2],
  ] as const;
  return pairs.reduce((best, pair) =>
    Math.abs(a[pair[0] * 3 + pair[1]] as number) > Math.abs(a[best[0] * 3 + best[1]] as number) ? pair : best,
  );
}

function rowsOf([xx, yy, zz, xy, xz, yz]: Inertia): number[] {
  return [xx, xy, xz, xy, yy, yz, xz, yz, zz];
}

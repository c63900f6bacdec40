import type { SplatCloud } from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';

/** The factor of the constant term of the spherical harmonics in which splats store colour: 1 / (2 √π). */
const SH_C0 = 0.28209479177387814;

/** Collects splats in the axes of their file. Formats that follow the first publication have Y down. */
export class SplatCloudBuilder {
  readonly #cloud: SplatCloud;

  /** @throws Unrenderable when there are none, or more than the budget allows. */
  constructor(count: number, budget: Budget) {
    if (count === 0) throw new Unrenderable('the splat file is empty');
    budget.spend('splats', count);
    this.#cloud = {
      count,
      positions: new Float32Array(count * 3),
      scales: new Float32Array(count * 3),
      rotations: new Float32Array(count * 4),
      colors: new Float32Array(count * 4),
    };
  }

  position(splat: number, x: number, y: number, z: number): void {
    this.#cloud.positions.set([x, y, z], splat * 3);
  }

  /** Standard deviations along the axes. */
  scale(splat: number, x: number, y: number, z: number): void {
    this.#cloud.scales.set([x, y, z], splat * 3);
  }

  /** Standard deviations, given by their logarithms. */
  logScale(splat: number, x: number, y: number, z: number): void {
    this.scale(splat, Math.exp(x), Math.exp(y), Math.exp(z));
  }

  /** A quaternion of any length; one of length 0 is no rotation. */
  rotation(splat: number, x: number, y: number, z: number, w: number): void {
    const length = Math.hypot(x, y, z, w);
    const unit = length > 0 ? [x / length, y / length, z / length, w / length] : [0, 0, 0, 1];
    this.#cloud.rotations.set(unit, splat * 4);
  }

  /** Red, green, blue and opacity from 0 to 1. */
  color(splat: number, red: number, green: number, blue: number, opacity: number): void {
    this.#cloud.colors.set([red, green, blue, opacity], splat * 4);
  }

  /** Colour, given by the constant term of its harmonics, and opacity, given by its logit. */
  harmonicColor(splat: number, red: number, green: number, blue: number, logit: number): void {
    const [r, g, b] = [red, green, blue].map(SplatCloudBuilder.harmonic) as [number, number, number];
    this.color(splat, r, g, b, opacityOf(logit));
  }

  /** A part of a colour, given by the constant term of its harmonics. */
  static harmonic(term: number): number {
    return 0.5 + SH_C0 * term;
  }

  /** The splats of a format with Y up. */
  yUp(): SplatCloud {
    return this.#cloud;
  }

  /** The splats in other axes: each of the three is a signed axis of the file, from 1 for X to −3 for the reverse of Z. */
  inAxes(axes: readonly [number, number, number]): SplatCloud {
    const { count, positions, scales, rotations } = this.#cloud;
    if (axes.join() === '1,2,3') return this.#cloud;
    const [from, sign] = [axes.map((axis) => Math.abs(axis) - 1), axes.map(Math.sign)];
    const hand = handOf(axes);
    const take = (values: Float32Array, at: number, k: number) => values[at + (from[k] as number)] as number;
    for (let splat = 0; splat < count; splat++) {
      const [at, turn] = [splat * 3, splat * 4];
      positions.set(
        [0, 1, 2].map((k) => take(positions, at, k) * (sign[k] as number)),
        at,
      );
      scales.set(
        [0, 1, 2].map((k) => take(scales, at, k)),
        at,
      );
      // An axis of rotation is reversed by a reflection.
      rotations.set(
        [0, 1, 2].map((k) => take(rotations, turn, k) * (sign[k] as number) * hand),
        turn,
      );
    }
    return this.#cloud;
  }

  /** The splats of a format with Y down, rotated by half a turn about Z. */
  fromYDown(): SplatCloud {
    const { count, positions, rotations } = this.#cloud;
    for (let splat = 0; splat < count; splat++) {
      positions[splat * 3] = -(positions[splat * 3] as number);
      positions[splat * 3 + 1] = -(positions[splat * 3 + 1] as number);
      const [x, y, z, w] = rotations.subarray(splat * 4, splat * 4 + 4) as unknown as [
        number,
        number,
        number,
        number,
      ];
      rotations.set([-y, x, w, -z], splat * 4);
    }
    return this.#cloud;
  }
}

/** 1 if signed axes are right-handed, −1 if they are left-handed. */
function handOf([x, y, z]: readonly [number, number, number]): number {
  const order = [x, y, z].map(Math.abs).join('');
  const isEven = order === '123' || order === '231' || order === '312';
  return Math.sign(x * y * z) * (isEven ? 1 : -1);
}

/** The opacity that a logit stands for. */
export function opacityOf(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/** x, y, z, w from the three smallest components of w, x, y, z and the index of the largest. */
export function rotationWithout(
  largest: number,
  a: number,
  b: number,
  c: number,
): [number, number, number, number] {
  const rest = Math.sqrt(Math.max(0, 1 - a * a - b * b - c * c));
  switch (largest) {
    case 0:
      return [a, b, c, rest];
    case 1:
      return [rest, b, c, a];
    case 2:
      return [b, rest, c, a];
    case 3:
      return [b, c, rest, a];
    default:
      return [0, 0, 0, 1];
  }
}

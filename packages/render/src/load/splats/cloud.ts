import { Unrenderable } from '../../errors.ts';
import type { Budget } from '../../limits.ts';
import type { SplatCloud } from '../../scene.ts';

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
    this.color(splat, 0.5 + SH_C0 * red, 0.5 + SH_C0 * green, 0.5 + SH_C0 * blue, 1 / (1 + Math.exp(-logit)));
  }

  /** The splats of a format with Y up. */
  yUp(): SplatCloud {
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

/** The value of an IEEE 754 half-precision number. */
export function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

import type { SplatCloud } from '../scene.ts';

/** The covariance R · diag(s²) · Rᵀ: xx, xy, xz, yy, yz, zz. */
export function measureCovariance({ rotations, scales }: SplatCloud, splat: number, out: Float64Array): void {
  const x = rotations[splat * 4] as number;
  const y = rotations[splat * 4 + 1] as number;
  const z = rotations[splat * 4 + 2] as number;
  const w = rotations[splat * 4 + 3] as number;
  out.fill(0);
  for (let axis = 0; axis < 3; axis++) {
    const s = scales[splat * 3 + axis] as number;
    const cx = axis === 0 ? 1 - 2 * (y * y + z * z) : axis === 1 ? 2 * (x * y - z * w) : 2 * (x * z + y * w);
    const cy = axis === 0 ? 2 * (x * y + z * w) : axis === 1 ? 1 - 2 * (x * x + z * z) : 2 * (y * z - x * w);
    const cz = axis === 0 ? 2 * (x * z - y * w) : axis === 1 ? 2 * (y * z + x * w) : 1 - 2 * (x * x + y * y);
    const v = s * s;
    out[0] = (out[0] as number) + v * cx * cx;
    out[1] = (out[1] as number) + v * cx * cy;
    out[2] = (out[2] as number) + v * cx * cz;
    out[3] = (out[3] as number) + v * cy * cy;
    out[4] = (out[4] as number) + v * cy * cz;
    out[5] = (out[5] as number) + v * cz * cz;
  }
}

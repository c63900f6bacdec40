import type { SurfaceSamples } from './surface-samples.ts';

const SHELLS = 8;
/** The outermost shell, in units of the points' distance from the centre. */
const OUTERMOST = 2.2;
const DEGREES = 9;
const ORDERS = 2 * DEGREES - 1;

export const SHELL_ENERGIES = SHELLS * DEGREES;

/**
 * How much of a surface is in each shell around its centre, and how unevenly it is spread over it: the amplitudes of
 * its spherical harmonics by degree, which rotation and mirroring do not change. After Kazhdan, Funkhouser and
 * Rusinkiewicz, "Rotation invariant spherical harmonic representation of 3D shape descriptors" (2003).
 */
export function shellEnergies({ count, positions }: SurfaceSamples): Float64Array {
  const sums = new Float64Array(SHELLS * DEGREES * ORDERS);
  const harmonics = new Float64Array(DEGREES * ORDERS);
  for (let at = 0; at < count * 3; at += 3) {
    const [x, y, z] = [positions[at] as number, positions[at + 1] as number, positions[at + 2] as number];
    const radius = Math.sqrt(x * x + y * y + z * z) || 1;
    measureHarmonics(x / radius, y / radius, z / radius, harmonics);
    // Each point counts in the two nearest shells, so that none falls into another by a small change.
    const place = Math.min(SHELLS - 1, Math.max(0, (radius / OUTERMOST) * SHELLS - 0.5));
    const inner = Math.floor(place);
    addTo(sums, inner, harmonics, 1 - (place - inner));
    if (inner + 1 < SHELLS) addTo(sums, inner + 1, harmonics, place - inner);
  }
  return Float64Array.from({ length: SHELL_ENERGIES }, (_, at) => {
    const orders = sums.subarray(at * ORDERS, (at + 1) * ORDERS);
    return Math.sqrt(orders.reduce((sum, value) => sum + value * value, 0)) / count;
  });
}

function addTo(sums: Float64Array, shell: number, harmonics: Float64Array, weight: number): void {
  const first = shell * DEGREES * ORDERS;
  for (let at = 0; at < harmonics.length; at++)
    (sums[first + at] as number) += weight * (harmonics[at] as number);
}

/** Factors that make the harmonics orthonormal, by degree and order. */
const NORMALISING = Float64Array.from({ length: DEGREES * DEGREES }, (_, at) => {
  const [degree, order] = [Math.floor(at / DEGREES), at % DEGREES];
  let ratio = 1;
  for (let factor = degree - order + 1; factor <= degree + order; factor++) ratio /= factor;
  return Math.sqrt(((2 * degree + 1) / (4 * Math.PI)) * ratio * (order > 0 ? 2 : 1));
});

const LEGENDRE = new Float64Array(DEGREES * DEGREES);

/** Writes the real spherical harmonics in a direction, by degree and order. */
function measureHarmonics(x: number, y: number, z: number, out: Float64Array): void {
  // The powers of the sine of the polar angle are in the cosines and sines of the azimuth, (x + iy) to the power of m.
  let diagonal = 1;
  let cosine = 1;
  let sine = 0;
  for (let m = 0; m < DEGREES; m++) {
    LEGENDRE[m * DEGREES + m] = diagonal;
    for (let l = m; l < DEGREES; l++) {
      if (l > m) {
        const before = LEGENDRE[(l - 1) * DEGREES + m] as number;
        const twoBefore = l - 2 < m ? 0 : (LEGENDRE[(l - 2) * DEGREES + m] as number);
        LEGENDRE[l * DEGREES + m] = (z * (2 * l - 1) * before - (l + m - 1) * twoBefore) / (l - m);
      }
      const value = (NORMALISING[l * DEGREES + m] as number) * (LEGENDRE[l * DEGREES + m] as number);
      out[l * ORDERS + DEGREES - 1 + m] = value * cosine;
      if (m > 0) out[l * ORDERS + DEGREES - 1 - m] = value * sine;
    }
    diagonal *= 2 * m + 1;
    [cosine, sine] = [cosine * x - sine * y, cosine * y + sine * x];
  }
}

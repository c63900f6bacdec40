import { unit, type Vector3 } from '@bindery/formats/model/matrix';

/** Direction to the key light: to the left of the viewer, high, a little in front. */
export const KEY_DIRECTION: Vector3 = unit([-0.28, 0.86, 0.72]);
export const FILL_DIRECTION: Vector3 = unit([0.9, 0.25, 0.35]);
const RIM_DIRECTION: Vector3 = unit([-0.35, 0.5, -0.85]);

const KEY = 1.85;
const FILL = 0.35;
const RIM = 0.45;

/**
 * The light that a surface sends to the eye, linear, before tone mapping: Lambertian diffuse reflection and a GGX
 * specular lobe (glTF 2.0, appendix B), under a key, a fill and a rim light and a studio that is bright above and dim
 * below. `keyVisibility` and `ambientVisibility` (0 to 1) are the shares of the key light and of the other light that
 * reach it.
 */
export function illuminate(
  point: SurfacePoint,
  eye: Vector3,
  keyVisibility: number,
  ambientVisibility: number,
  out: Float32Array,
): void {
  let vx = eye[0] - point.x;
  let vy = eye[1] - point.y;
  let vz = eye[2] - point.z;
  const distance = Math.sqrt(vx * vx + vy * vy + vz * vz) || 1;
  vx /= distance;
  vy /= distance;
  vz /= distance;
  const { nx, ny, nz, metallic } = point;
  const roughness = Math.min(1, Math.max(0.08, point.roughness));
  const facing = Math.max(0.02, nx * vx + ny * vy + nz * vz);

  const scatter = 1 - metallic;
  const dielectric = 0.04 * scatter;
  const f0r = dielectric + point.red * metallic;
  const f0g = dielectric + point.green * metallic;
  const f0b = dielectric + point.blue * metallic;

  const upward = 0.5 + 0.5 * ny;
  let dr = (GROUND[0] + SKY[0] * upward) * ambientVisibility;
  let dg = (GROUND[1] + SKY[1] * upward) * ambientVisibility;
  let db = (GROUND[2] + SKY[2] * upward) * ambientVisibility;

  // Scale and bias of the specular colour in a uniform environment: Karis, "Physically Based Shading on Mobile" (2014).
  const smoothness = 1 - roughness;
  const edge =
    Math.min(smoothness * smoothness, 2 ** (-9.28 * facing)) * smoothness + roughness * -0.0275 + 0.0425;
  const er = -1.04 * edge + roughness * -0.572 + 1.04;
  const eb = 1.04 * edge + roughness * 0.022 - 0.04;
  const rx = 2 * facing * nx - vx;
  const ry = 2 * facing * ny - vy;
  const rz = 2 * facing * nz - vz;
  const mirrored = studio(rx, ry, rz, roughness) * (0.25 + 0.75 * ambientVisibility);
  let sr = mirrored * (f0r * er + eb);
  let sg = mirrored * (f0g * er + eb);
  let sb = mirrored * (f0b * er + eb);

  for (let index = 0; index < LIGHTS.length; index++) {
    const { direction, strength } = LIGHTS[index] as Light;
    const incidence = nx * direction[0] + ny * direction[1] + nz * direction[2];
    if (incidence <= 0) continue;
    const reaching = strength * incidence * (index === 0 ? keyVisibility : ambientVisibility);
    dr += reaching * 0.318;
    dg += reaching * 0.318;
    db += reaching * 0.318;
    const lobe = ggx(direction, nx, ny, nz, vx, vy, vz, facing, incidence, roughness) * reaching;
    sr += f0r * lobe;
    sg += f0g * lobe;
    sb += f0b * lobe;
  }
  out[0] = point.red * scatter * dr * EXPOSURE + sr + point.emissiveRed;
  out[1] = point.green * scatter * dg * EXPOSURE + sg + point.emissiveGreen;
  out[2] = point.blue * scatter * db * EXPOSURE + sb + point.emissiveBlue;
}

export const EXPOSURE = 0.92;

/** Light from all around: what reaches a surface that faces down, and what is added to it where one faces up. */
export const GROUND: Vector3 = [0.3, 0.29, 0.28];
export const SKY: Vector3 = [0.42, 0.44, 0.48];

interface Light {
  readonly direction: Vector3;
  readonly strength: number;
}

/** The key, the fill and the rim light. */
export const LIGHTS: readonly Light[] = [
  { direction: KEY_DIRECTION, strength: KEY },
  { direction: FILL_DIRECTION, strength: FILL },
  { direction: RIM_DIRECTION, strength: RIM },
];

/** The GGX lobe with Smith's masking in Hammon's approximation, without the Fresnel factor. */
function ggx(
  light: Vector3,
  nx: number,
  ny: number,
  nz: number,
  vx: number,
  vy: number,
  vz: number,
  facing: number,
  incidence: number,
  roughness: number,
): number {
  const hx = light[0] + vx;
  const hy = light[1] + vy;
  const hz = light[2] + vz;
  const length = Math.sqrt(hx * hx + hy * hy + hz * hz) || 1;
  const half = Math.max(0, (nx * hx + ny * hy + nz * hz) / length);
  const alpha = roughness * roughness;
  const squared = alpha * alpha;
  const spread = half * half * (squared - 1) + 1;
  const distribution = squared / (Math.PI * spread * spread);
  const masking = 0.5 / (2 * incidence * facing * (1 - alpha) + (incidence + facing) * alpha + 1e-4);
  return Math.min(8, distribution * masking);
}

/** Brightness of the studio in a direction: a large soft box overhead, ones at the key and fill lights, a dim floor. */
function studio(x: number, y: number, z: number, roughness: number): number {
  const soft = 0.12 + roughness * 0.8;
  const above = smooth((y + soft - 0.15) / (2 * soft));
  const key = Math.max(0, x * KEY_DIRECTION[0] + y * KEY_DIRECTION[1] + z * KEY_DIRECTION[2]);
  const side = Math.max(0, x * FILL_DIRECTION[0] + y * FILL_DIRECTION[1] + z * FILL_DIRECTION[2]);
  return (
    0.28 + 0.62 * above + 0.5 * key ** (2 + 10 * (1 - roughness)) + 0.25 * side ** (2 + 8 * (1 - roughness))
  );
}

function smooth(value: number): number {
  const t = value < 0 ? 0 : Math.min(value, 1);
  return t * t * (3 - 2 * t);
}

/**
 * Leaves colours up to `START` unchanged and rolls brighter ones off towards white: the highlight part of Khronos PBR
 * Neutral. https://github.com/KhronosGroup/ToneMapping/blob/main/PBR_Neutral/README.md
 */
export function toneMap(color: Float32Array): void {
  const peak = Math.max(color[0] as number, color[1] as number, color[2] as number);
  if (peak <= START) return;
  const room = 1 - START;
  const newPeak = 1 - (room * room) / (peak + room - START);
  const white = 1 - 1 / (DESATURATION * (peak - newPeak) + 1);
  for (let k = 0; k < 3; k++) {
    color[k] = ((color[k] as number) * newPeak * (1 - white)) / peak + newPeak * white;
  }
}

export const START = 0.76;
export const DESATURATION = 0.15;

/** The properties of a surface at one point. The same object is refilled for every point. */
export interface SurfacePoint {
  x: number;
  y: number;
  z: number;
  nx: number;
  ny: number;
  nz: number;
  /** The normal of the flat triangle. */
  gx: number;
  gy: number;
  gz: number;
  red: number;
  green: number;
  blue: number;
  alpha: number;
  metallic: number;
  roughness: number;
  emissiveRed: number;
  emissiveGreen: number;
  emissiveBlue: number;
  occlusion: number;
}

export function createSurfacePoint(): SurfacePoint {
  return {
    x: 0,
    y: 0,
    z: 0,
    nx: 0,
    ny: 1,
    nz: 0,
    gx: 0,
    gy: 1,
    gz: 0,
    red: 0,
    green: 0,
    blue: 0,
    alpha: 1,
    metallic: 0,
    roughness: 1,
    emissiveRed: 0,
    emissiveGreen: 0,
    emissiveBlue: 0,
    occlusion: 1,
  };
}

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

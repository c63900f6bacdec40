import * as THREE from 'three';

/** As in thumbnails: from the front right and above. Radians. */
const AZIMUTH = (35 * Math.PI) / 180;
const ELEVATION = (22 * Math.PI) / 180;
/** Of the shorter side of the view, in degrees. */
const FIELD_OF_VIEW = 28;
/** The share of the half view that the framed boxes fill. */
const FILL = 0.9;

/** A camera position, and the point that it looks at. */
export interface Framing {
  readonly position: THREE.Vector3;
  readonly target: THREE.Vector3;
}

/** The vertical field of view in degrees that gives the view's shorter side the same angle at any aspect ratio. */
export function fieldOfView(aspect: number): number {
  if (aspect >= 1) return FIELD_OF_VIEW;
  const slope = Math.tan(THREE.MathUtils.degToRad(FIELD_OF_VIEW / 2)) / aspect;
  return THREE.MathUtils.radToDeg(2 * Math.atan(slope));
}

/** Returns the three-quarter view that fits all boxes (Y up); undefined if there are none. */
export function frameThreeQuarter(boxes: Iterable<THREE.Box3>): Framing | undefined {
  const [sa, ca] = [Math.sin(AZIMUTH), Math.cos(AZIMUTH)];
  const [se, ce] = [Math.sin(ELEVATION), Math.cos(ELEVATION)];
  const right = new THREE.Vector3(ca, 0, -sa);
  const up = new THREE.Vector3(-sa * se, ce, -ca * se);
  const back = new THREE.Vector3(sa * ce, se, ca * ce);
  const t = Math.tan(THREE.MathUtils.degToRad(FIELD_OF_VIEW / 2)) * FILL;
  const reach = { east: -Infinity, west: -Infinity, north: -Infinity, south: -Infinity };
  let [near, far] = [-Infinity, Infinity];
  const corner = new THREE.Vector3();
  for (const { min, max } of boxes) {
    for (let index = 0; index < 8; index++) {
      corner.set(index & 1 ? min.x : max.x, index & 2 ? min.y : max.y, index & 4 ? min.z : max.z);
      const [x, y, z] = [corner.dot(right), corner.dot(up), corner.dot(back)];
      reach.east = Math.max(reach.east, t * z + x);
      reach.west = Math.max(reach.west, t * z - x);
      reach.north = Math.max(reach.north, t * z + y);
      reach.south = Math.max(reach.south, t * z - y);
      near = Math.max(near, z);
      far = Math.min(far, z);
    }
  }
  if (!Number.isFinite(near) || !Number.isFinite(far)) return undefined;
  const distance = Math.max(
    (reach.east + reach.west) / (2 * t),
    (reach.north + reach.south) / (2 * t),
    near + 1e-6,
  );
  const across = (reach.east - reach.west) / 2;
  const upward = (reach.north - reach.south) / 2;
  const at = (depth: number) =>
    new THREE.Vector3()
      .addScaledVector(right, across)
      .addScaledVector(up, upward)
      .addScaledVector(back, depth);
  return { position: at(distance), target: at((near + far) / 2) };
}

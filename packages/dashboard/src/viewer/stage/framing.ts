import { eyePosition, frameThreeQuarter as frame, HALF_FIELD_OF_VIEW } from '@bindery/render/models';
import * as THREE from 'three';

/** A camera position, and the point that it looks at. */
export interface Framing {
  readonly position: THREE.Vector3;
  readonly target: THREE.Vector3;
}

/** The vertical field of view in degrees that gives the view's shorter side the same angle at any aspect ratio. */
export function fieldOfView(aspect: number): number {
  const slope = Math.tan(HALF_FIELD_OF_VIEW) / Math.min(1, aspect);
  return THREE.MathUtils.radToDeg(2 * Math.atan(slope));
}

/** Returns the three-quarter view of thumbnails that fits all boxes (Y up); undefined if there are none. */
export function frameThreeQuarter(boxes: Iterable<THREE.Box3>): Framing | undefined {
  const shown = [...boxes].filter((box) => !box.isEmpty());
  if (shown.length === 0) return undefined;
  const center = shown.reduce((all, box) => all.union(box), new THREE.Box3()).getCenter(new THREE.Vector3());
  // Far from the origin, single precision would move what is small.
  const camera = frame(shown.map((box) => cornersOf(box.clone().translate(center.clone().negate()))));
  const [right, up, distance] = camera.eye;
  const at = (depth: number) =>
    new THREE.Vector3(...eyePosition({ ...camera, eye: [right, up, depth] })).add(center);
  return { position: at(distance), target: at(0) };
}

function cornersOf({ min, max }: THREE.Box3): Float32Array {
  const corners = Array.from({ length: 8 }, (_, index) => [
    index & 1 ? min.x : max.x,
    index & 2 ? min.y : max.y,
    index & 4 ? min.z : max.z,
  ]);
  return Float32Array.from(corners.flat());
}

/** The size of a grid cell: a power of ten near a tenth of the size of the model. */
export function gridStep(size: number): number {
  return size > 0 && Number.isFinite(size) ? 10 ** Math.round(Math.log10(size / 8)) : 1;
}

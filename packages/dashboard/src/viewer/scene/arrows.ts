import * as THREE from 'three';

/** Half the profile of an arrow of length 1 along Y. */
const PROFILE = [
  [0, 0],
  [0.3, 0],
  [0.3, 0.75],
  [1, 0.75],
  [0, 1],
].map(([x, y]) => new THREE.Vector2(x, y));

/** Arrows that are seen through everything, drawn in one call, with a dot where each begins. Their number is bounded. */
export class Arrows {
  readonly object = new THREE.Group();
  readonly #arrows: THREE.InstancedMesh;
  readonly #dots: THREE.Points;

  constructor(most: number) {
    const look = { color: 0xff6a00, depthTest: false, transparent: true };
    this.#arrows = new THREE.InstancedMesh(
      new THREE.LatheGeometry(PROFILE, 12),
      new THREE.MeshBasicMaterial(look),
      most,
    );
    const starts = new THREE.BufferGeometry();
    starts.setAttribute('position', new THREE.BufferAttribute(new Float32Array(most * 3), 3));
    this.#dots = new THREE.Points(
      starts,
      new THREE.PointsMaterial({ ...look, size: 7, sizeAttenuation: false }),
    );
    for (const part of [this.#arrows, this.#dots]) {
      part.renderOrder = 1;
      part.frustumCulled = false;
    }
    this.object.add(this.#arrows, this.#dots);
    this.show([]);
  }

  /** Shows arrows from their starts along vectors; their heads are twice as wide as `width`, unless they are short. */
  show(arrows: readonly { readonly from: THREE.Vector3; readonly along: THREE.Vector3 }[], width = 1): void {
    const shown = arrows.slice(0, this.#arrows.instanceMatrix.count);
    const starts = this.#dots.geometry.getAttribute('position');
    const [turn, up] = [new THREE.Quaternion(), new THREE.Vector3(0, 1, 0)];
    for (const [index, { from, along }] of shown.entries()) {
      const length = along.length();
      turn.setFromUnitVectors(up, along.clone().normalize());
      const half = Math.min(width, length / 4);
      const scale = new THREE.Vector3(half, length, half);
      this.#arrows.setMatrixAt(index, new THREE.Matrix4().compose(from, turn, scale));
      starts.setXYZ(index, from.x, from.y, from.z);
    }
    this.object.visible = shown.length > 0;
    this.#arrows.count = shown.length;
    this.#arrows.instanceMatrix.needsUpdate = true;
    this.#dots.geometry.setDrawRange(0, shown.length);
    starts.needsUpdate = true;
  }
}

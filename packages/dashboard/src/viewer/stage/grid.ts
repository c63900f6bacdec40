import * as THREE from 'three';

/** The size of a grid cell: a power of ten near a tenth of the size of the model. */
export function gridStep(size: number): number {
  return size > 0 && Number.isFinite(size) ? 10 ** Math.round(Math.log10(size / 8)) : 1;
}

/** A grid on the ground under a box. */
export function createGrid(box: THREE.Box3, ground: number): THREE.Object3D {
  const size = Math.max(box.max.x - box.min.x, box.max.z - box.min.z, (box.max.y - box.min.y) * 0.6);
  const step = gridStep(size);
  const cells = Math.max(4, 2 * Math.ceil((size * 0.9) / step));
  const grid = new THREE.GridHelper(cells * step, cells, 0x8a93a2, 0x8a93a2);
  grid.material.transparent = true;
  grid.material.opacity = 0.28;
  grid.material.depthWrite = false;
  const snap = (value: number) => Math.round(value / step) * step;
  grid.position.set(snap((box.min.x + box.max.x) / 2), ground, snap((box.min.z + box.max.z) / 2));
  grid.name = 'grid';
  return grid;
}

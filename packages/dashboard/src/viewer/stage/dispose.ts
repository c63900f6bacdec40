import * as THREE from 'three';

/** Frees the graphics memory of an object and all below it. */
export function disposeOf(root: THREE.Object3D): void {
  root.traverse((object) => {
    const { geometry, material } = object as Partial<THREE.Mesh>;
    geometry?.dispose();
    for (const one of [material ?? []].flat()) {
      for (const value of Object.values(one)) {
        if (value instanceof THREE.Texture) disposeOfTexture(value);
      }
      one.dispose();
    }
    if (object instanceof THREE.InstancedMesh) object.dispose();
  });
}

function disposeOfTexture(texture: THREE.Texture): void {
  const { data } = texture.source;
  if (data instanceof ImageBitmap) data.close();
  texture.dispose();
}

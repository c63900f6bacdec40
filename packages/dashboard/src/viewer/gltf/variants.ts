import * as THREE from 'three';
import type { GLTF } from 'three/addons/loaders/GLTFLoader.js';
import { Choice } from '../choice.ts';
import { messages } from '../messages.ts';

import type { Gltf } from './container.ts';

interface Variants {
  readonly variants?: readonly { readonly name?: string }[];
}

interface Mappings {
  readonly mappings?: readonly { readonly material?: number; readonly variants?: readonly number[] }[];
}

/** The variants of `KHR_materials_variants`, which three.js leaves to applications. */
export function variantsOf({ scenes, parser }: GLTF, json: Gltf, onChange: () => void): Choice | undefined {
  const { variants = [] } = (json.extensions?.KHR_materials_variants ?? {}) as Variants;
  if (variants.length === 0) return undefined;
  const originals = new Map<THREE.Mesh, THREE.Material | THREE.Material[]>();
  for (const scene of scenes) {
    scene.traverse((object) => {
      if (object instanceof THREE.Mesh) originals.set(object, object.material);
    });
  }

  async function choose(option: number): Promise<void> {
    // Option 0 is the file's default appearance.
    const variant = option - 1;
    for (const [mesh, original] of originals) {
      const own = mesh.userData.gltfExtensions?.KHR_materials_variants as Mappings | undefined;
      const mapping = own?.mappings?.find((one) => one.variants?.includes(variant));
      if (mapping?.material === undefined) mesh.material = original;
      else {
        mesh.material = (await parser.getDependency('material', mapping.material)) as THREE.Material;
        parser.assignFinalMaterial(mesh);
      }
    }
    onChange();
  }

  const names = variants.map(({ name }, index) => name || String(index + 1));
  return new Choice(messages.variants, [messages.none, ...names], (option) => void choose(option));
}

import type { Image, Material, Texture, Wrap } from '@bindery/render/models';
import * as THREE from 'three';

const WRAPPING: Readonly<Record<Wrap, THREE.Wrapping>> = {
  repeat: THREE.RepeatWrapping,
  mirror: THREE.MirroredRepeatWrapping,
  clamp: THREE.ClampToEdgeWrapping,
};

type PixelSource = THREE.TextureSource<{ data: Uint8Array; width: number; height: number }>;

/** Converts materials of loaded models to three.js, each once. */
export class Materials {
  readonly #made = {
    colored: new Map<Material, THREE.Material>(),
    plain: new Map<Material, THREE.Material>(),
  };
  readonly #sources = new Map<Image, PixelSource>();
  readonly #maxAnisotropy: number;

  constructor(maxAnisotropy: number) {
    this.#maxAnisotropy = maxAnisotropy;
  }

  /** `hasColors`: the vertices have colours, which are applied as well. */
  get(material: Material, hasColors: boolean): THREE.Material {
    const made = this.#made[hasColors ? 'colored' : 'plain'];
    const one = made.get(material) ?? this.#make(material, hasColors);
    made.set(material, one);
    return one;
  }

  #make(material: Material, vertexColors: boolean): THREE.Material {
    const [red, green, blue, opacity] = material.baseColor;
    const map = this.#texture(material.baseColorTexture, THREE.SRGBColorSpace);
    const common = {
      color: new THREE.Color(red, green, blue),
      map,
      vertexColors,
      opacity,
      transparent: material.alphaMode === 'blend',
      depthWrite: material.alphaMode !== 'blend',
      alphaTest: material.alphaMode === 'mask' ? material.alphaCutoff : 0,
      side: material.doubleSided ? THREE.DoubleSide : THREE.FrontSide,
    };
    if (material.unlit) return new THREE.MeshBasicMaterial({ ...common, toneMapped: false });
    const surface = this.#texture(material.metallicRoughnessTexture);
    return new THREE.MeshStandardMaterial({
      ...common,
      metalness: material.metallic,
      roughness: material.roughness,
      metalnessMap: surface,
      roughnessMap: surface,
      emissive: new THREE.Color(...material.emissive),
      emissiveMap: this.#texture(material.emissiveTexture, THREE.SRGBColorSpace),
      normalMap: this.#texture(material.normalTexture),
      normalScale: new THREE.Vector2(material.normalScale, material.normalScale),
      aoMap: this.#texture(material.occlusionTexture),
    });
  }

  #texture(
    texture: Texture | undefined,
    colorSpace: THREE.ColorSpace = THREE.NoColorSpace,
  ): THREE.Texture | null {
    const image = texture?.levels[0];
    if (texture === undefined || image === undefined) return null;
    const made = new THREE.DataTexture(null, image.width, image.height);
    made.source = this.#source(image);
    made.colorSpace = colorSpace;
    made.wrapS = WRAPPING[texture.wrapU];
    made.wrapT = WRAPPING[texture.wrapV];
    made.magFilter = THREE.LinearFilter;
    made.minFilter = THREE.LinearMipmapLinearFilter;
    made.generateMipmaps = true;
    made.anisotropy = Math.min(8, this.#maxAnisotropy);
    made.channel = texture.uvSet;
    if (texture.transform !== undefined) {
      const [a, b, c, d, e, f] = texture.transform;
      made.matrixAutoUpdate = false;
      made.matrix.set(a, c, e, b, d, f, 0, 0, 1);
    }
    made.needsUpdate = true;
    return made;
  }

  /** All textures of the same image share one upload. */
  #source(image: Image): PixelSource {
    const { data, width, height } = image;
    const source = this.#sources.get(image) ?? new THREE.TextureSource({ data, width, height });
    this.#sources.set(image, source);
    return source;
  }
}

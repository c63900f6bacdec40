import type {
  Document,
  Material as GltfMaterial,
  Texture as GltfTexture,
  TextureInfo,
} from '@gltf-transform/core';
import {
  KHRMaterialsEmissiveStrength,
  KHRMaterialsUnlit,
  KHRTextureTransform,
} from '@gltf-transform/extensions';
import { encodePng } from '../images/png.ts';
import { memoised } from '../memoised.ts';
import type { Image, Material, Texture, Wrap } from '../model/scene.ts';

const WRAPS: Readonly<Record<Wrap, 10497 | 33071 | 33648>> = { repeat: 10497, clamp: 33071, mirror: 33648 };

/** The materials of a document, each once, and their pictures. */
export class GlbMaterials {
  readonly #document: Document;
  readonly #images = new Map<Image, GltfTexture>();

  constructor(document: Document) {
    this.#document = document;
  }

  async finish(): Promise<void> {
    await Promise.all(
      [...this.#images].map(async ([image, texture]) => {
        texture.setImage(new Uint8Array(await encodePng(image))).setMimeType('image/png');
      }),
    );
  }

  readonly material = memoised((source: Material): GltfMaterial => {
    const material = this.#document
      .createMaterial()
      .setBaseColorFactor(source.baseColor.map(toOne) as [number, number, number, number])
      .setMetallicFactor(toOne(source.metallic))
      .setRoughnessFactor(toOne(source.roughness))
      .setAlphaMode(source.alphaMode === 'mask' ? 'MASK' : source.alphaMode === 'blend' ? 'BLEND' : 'OPAQUE')
      .setDoubleSided(source.doubleSided);
    if (source.alphaMode === 'mask') material.setAlphaCutoff(source.alphaCutoff);
    this.#emission(material, source);
    if (source.unlit)
      material.setExtension(
        'KHR_materials_unlit',
        this.#document.createExtension(KHRMaterialsUnlit).createUnlit(),
      );
    material
      .setBaseColorTexture(this.#texture(source.baseColorTexture))
      .setMetallicRoughnessTexture(this.#texture(source.metallicRoughnessTexture))
      .setEmissiveTexture(this.#texture(source.emissiveTexture))
      .setNormalTexture(this.#texture(source.normalTexture))
      .setNormalScale(source.normalScale)
      .setOcclusionTexture(this.#texture(source.occlusionTexture));
    this.#lay(material.getBaseColorTextureInfo(), source.baseColorTexture);
    this.#lay(material.getMetallicRoughnessTextureInfo(), source.metallicRoughnessTexture);
    this.#lay(material.getEmissiveTextureInfo(), source.emissiveTexture);
    this.#lay(material.getNormalTextureInfo(), source.normalTexture);
    this.#lay(material.getOcclusionTextureInfo(), source.occlusionTexture);
    return material;
  });

  #texture(use: Texture | undefined): GltfTexture | null {
    const [image] = use?.levels ?? [];
    if (image === undefined) return null;
    const texture = this.#images.get(image) ?? this.#document.createTexture(`texture_${this.#images.size}`);
    this.#images.set(image, texture);
    return texture;
  }

  #lay(info: TextureInfo | null, use: Texture | undefined): void {
    if (info === null || use === undefined) return;
    info.setWrapS(WRAPS[use.wrapU]).setWrapT(WRAPS[use.wrapV]).setTexCoord(use.uvSet);
    if (use.transform === undefined) return;
    // Translation · rotation · scale.
    const [a, b, c, d, x, y] = use.transform;
    const width = Math.hypot(a, b);
    const placed = this.#document
      .createExtension(KHRTextureTransform)
      .createTransform()
      .setOffset([x, y])
      .setRotation(Math.atan2(-b, a))
      .setScale([width, width === 0 ? d : (a * d - b * c) / width]);
    info.setExtension('KHR_texture_transform', placed);
  }

  /** Factors are at most 1; what glows brighter has a strength. */
  #emission(material: GltfMaterial, { emissive }: Material): void {
    const strength = Math.max(1, ...emissive);
    material.setEmissiveFactor(
      emissive.map((value) => Math.max(0, value / strength)) as [number, number, number],
    );
    if (strength === 1) return;
    const extension = this.#document.createExtension(KHRMaterialsEmissiveStrength);
    material.setExtension(
      'KHR_materials_emissive_strength',
      extension.createEmissiveStrength().setEmissiveStrength(strength),
    );
  }
}

function toOne(value: number): number {
  return Math.min(1, Math.max(0, value));
}

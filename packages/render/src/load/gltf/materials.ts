import {
  type AlphaMode,
  DEFAULT_MATERIAL,
  type Image,
  type Material,
  type Texture,
  type Wrap,
} from '../../scene.ts';
import type { LoadContext } from '../context.ts';
import { texture } from '../textures.ts';
import type { GltfBuffers } from './buffers.ts';
import {
  component,
  type GltfDocument,
  type GltfMaterial,
  type GltfTexture,
  item,
  type TextureInfo,
} from './document.ts';

/** What glTF prescribes where a primitive names no material. */
const PLAIN: Material = { ...DEFAULT_MATERIAL, doubleSided: false };
const CLAMP_TO_EDGE = 33071;
const MIRRORED_REPEAT = 33648;

export class GltfMaterials {
  readonly #document: GltfDocument;
  readonly #buffers: GltfBuffers;
  readonly #context: LoadContext;
  readonly #materials = new Map<number, Promise<Material>>();
  readonly #images = new Map<number, Promise<readonly Image[] | undefined>>();

  constructor(document: GltfDocument, buffers: GltfBuffers, context: LoadContext) {
    this.#document = document;
    this.#buffers = buffers;
    this.#context = context;
  }

  material(index: number | undefined): Promise<Material> {
    if (index === undefined) return Promise.resolve(PLAIN);
    let material = this.#materials.get(index);
    if (material === undefined) {
      material = this.#read(item(this.#document.materials, index, 'material'));
      this.#materials.set(index, material);
    }
    return material;
  }

  async #read(source: GltfMaterial): Promise<Material> {
    const glossy = source.extensions?.KHR_materials_pbrSpecularGlossiness;
    const metallicRoughness = source.pbrMetallicRoughness;
    const factor = glossy?.diffuseFactor ?? metallicRoughness?.baseColorFactor;
    const strength = source.extensions?.KHR_materials_emissive_strength?.emissiveStrength ?? 1;
    const transmitted = source.extensions?.KHR_materials_transmission?.transmissionFactor ?? 0;
    const alphaMode = alphaModeOf(source.alphaMode);
    return {
      baseColor: [
        component(factor, 0, 1),
        component(factor, 1, 1),
        component(factor, 2, 1),
        alphaMode === 'opaque' && transmitted <= 0 ? 1 : component(factor, 3, 1) * (1 - 0.8 * transmitted),
      ],
      baseColorTexture: await this.#texture(glossy?.diffuseTexture ?? metallicRoughness?.baseColorTexture),
      metallic: glossy ? 0 : (metallicRoughness?.metallicFactor ?? 1),
      roughness: glossy ? 1 - (glossy.glossinessFactor ?? 1) : (metallicRoughness?.roughnessFactor ?? 1),
      metallicRoughnessTexture: await this.#texture(metallicRoughness?.metallicRoughnessTexture),
      emissive: [0, 1, 2].map((k) => component(source.emissiveFactor, k, 0) * strength) as [
        number,
        number,
        number,
      ],
      emissiveTexture: await this.#texture(source.emissiveTexture),
      normalTexture: await this.#texture(source.normalTexture),
      normalScale: source.normalTexture?.scale ?? 1,
      occlusionTexture: await this.#texture(source.occlusionTexture),
      alphaMode: transmitted > 0 ? 'blend' : alphaMode,
      alphaCutoff: source.alphaCutoff ?? 0.5,
      doubleSided: source.doubleSided === true,
      unlit: source.extensions?.KHR_materials_unlit !== undefined,
    };
  }

  async #texture(info: TextureInfo | undefined): Promise<Texture | undefined> {
    if (info === undefined) return undefined;
    const source = item(this.#document.textures, info.index, 'texture');
    const sampler =
      source.sampler === undefined ? undefined : item(this.#document.samplers, source.sampler, 'sampler');
    const placed = info.extensions?.KHR_texture_transform;
    return texture(await this.#image(source), {
      wrapU: wrapOf(sampler?.wrapS),
      wrapV: wrapOf(sampler?.wrapT),
      uvSet: (placed?.texCoord ?? info.texCoord) === 1 ? 1 : 0,
      transform: placed && textureTransform(placed.offset, placed.rotation ?? 0, placed.scale),
    });
  }

  /** The levels of a texture's image, KTX2 only where there is no other; undefined where it cannot be decoded. */
  #image(source: GltfTexture): Promise<readonly Image[] | undefined> {
    const { EXT_texture_webp: webp, KHR_texture_basisu: basis } = source.extensions ?? {};
    const index = webp?.source ?? source.source ?? basis?.source;
    if (index === undefined) return Promise.resolve(undefined);
    let image = this.#images.get(index);
    if (image === undefined) {
      image = this.#decode(index);
      this.#images.set(index, image);
    }
    return image;
  }

  async #decode(index: number): Promise<readonly Image[] | undefined> {
    const { uri, bufferView } = item(this.#document.images, index, 'image');
    const bytes =
      uri === undefined ? await this.#buffers.view(bufferView) : await this.#buffers.resource(String(uri));
    return this.#context.textures.embedded(this.#buffers.nameOf(uri, `image ${index}`), bytes);
  }
}

/** KHR_texture_transform: translation · rotation · scale. */
function textureTransform(
  offset: readonly number[] | undefined,
  rotation: number,
  scale: readonly number[] | undefined,
): [number, number, number, number, number, number] {
  const [sx, sy] = [component(scale, 0, 1), component(scale, 1, 1)];
  const [c, s] = [Math.cos(rotation), Math.sin(rotation)];
  return [c * sx, -s * sx, s * sy, c * sy, component(offset, 0, 0), component(offset, 1, 0)];
}

function alphaModeOf(mode: string | undefined): AlphaMode {
  return mode === 'MASK' ? 'mask' : mode === 'BLEND' ? 'blend' : 'opaque';
}

function wrapOf(mode: number | undefined): Wrap {
  return mode === CLAMP_TO_EDGE ? 'clamp' : mode === MIRRORED_REPEAT ? 'mirror' : 'repeat';
}

import type { Texture as GltfTexture, Material as SourceMaterial, TextureInfo } from '@gltf-transform/core';
import {
  type EmissiveStrength,
  KHRMaterialsEmissiveStrength,
  KHRMaterialsPBRSpecularGlossiness,
  KHRMaterialsTransmission,
  KHRMaterialsUnlit,
  KHRTextureTransform,
  type PBRSpecularGlossiness,
  type Transform,
  type Transmission,
} from '@gltf-transform/extensions';
import type { LoadContext } from '../context.ts';
import { texture } from '../images/textures.ts';
import { memoised } from '../memoised.ts';
import { type AlphaMode, DEFAULT_MATERIAL, type Material, type Texture, type Wrap } from '../model/scene.ts';
import type { GltfResources } from './resources.ts';

/** For primitives without a material: one-sided, as glTF prescribes. */
const PLAIN: Material = { ...DEFAULT_MATERIAL, doubleSided: false };
const CLAMP_TO_EDGE = 33071;
const MIRRORED_REPEAT = 33648;

/** The materials of a document, each read once; images are only decoded for materials that are drawn. */
export class GltfMaterials {
  readonly #resources: GltfResources;
  readonly #context: LoadContext;

  constructor(resources: GltfResources, context: LoadContext) {
    this.#resources = resources;
    this.#context = context;
  }

  material(source: SourceMaterial | null): Promise<Material> {
    return source === null ? Promise.resolve(PLAIN) : this.#read(source);
  }

  readonly #read = memoised(async (source: SourceMaterial): Promise<Material> => {
    const glossy = source.getExtension<PBRSpecularGlossiness>(
      KHRMaterialsPBRSpecularGlossiness.EXTENSION_NAME,
    );
    const emission = source.getExtension<EmissiveStrength>(KHRMaterialsEmissiveStrength.EXTENSION_NAME);
    const transmission = source.getExtension<Transmission>(KHRMaterialsTransmission.EXTENSION_NAME);
    const strength = emission?.getEmissiveStrength() ?? 1;
    const transmitted = transmission?.getTransmissionFactor() ?? 0;
    const [red, green, blue, opacity] = glossy?.getDiffuseFactor() ?? source.getBaseColorFactor();
    const alphaMode = alphaModeOf(source.getAlphaMode());
    const [glowRed, glowGreen, glowBlue] = source.getEmissiveFactor();
    return {
      baseColor: [
        red,
        green,
        blue,
        alphaMode === 'opaque' && transmitted <= 0 ? 1 : opacity * (1 - 0.8 * transmitted),
      ],
      baseColorTexture: glossy
        ? await this.#texture(glossy.getDiffuseTexture(), glossy.getDiffuseTextureInfo())
        : await this.#texture(source.getBaseColorTexture(), source.getBaseColorTextureInfo()),
      metallic: glossy ? 0 : source.getMetallicFactor(),
      roughness: glossy ? 1 - glossy.getGlossinessFactor() : source.getRoughnessFactor(),
      metallicRoughnessTexture: await this.#texture(
        source.getMetallicRoughnessTexture(),
        source.getMetallicRoughnessTextureInfo(),
      ),
      emissive: [glowRed * strength, glowGreen * strength, glowBlue * strength],
      emissiveTexture: await this.#texture(source.getEmissiveTexture(), source.getEmissiveTextureInfo()),
      normalTexture: await this.#texture(source.getNormalTexture(), source.getNormalTextureInfo()),
      normalScale: source.getNormalScale(),
      occlusionTexture: await this.#texture(source.getOcclusionTexture(), source.getOcclusionTextureInfo()),
      alphaMode: transmitted > 0 ? 'blend' : alphaMode,
      alphaCutoff: source.getAlphaCutoff(),
      doubleSided: source.getDoubleSided(),
      unlit: source.getExtension(KHRMaterialsUnlit.EXTENSION_NAME) !== null,
    };
  });

  async #texture(source: GltfTexture | null, info: TextureInfo | null): Promise<Texture | undefined> {
    if (source === null || info === null) return undefined;
    const placed = info.getExtension<Transform>(KHRTextureTransform.EXTENSION_NAME);
    return texture(await this.#image(source), {
      wrapU: wrapOf(info.getWrapS()),
      wrapV: wrapOf(info.getWrapT()),
      uvSet: (placed?.getTexCoord() ?? info.getTexCoord()) === 1 ? 1 : 0,
      transform: placed ? textureTransform(placed) : undefined,
    });
  }

  /** The levels of a texture's image; undefined if it cannot be decoded. */
  readonly #image = memoised(async (source: GltfTexture) => {
    const { name, bytes } = await this.#resources.readImage(Number(source.getURI()));
    return this.#context.textures.loadEmbedded(name, bytes);
  });
}

/** KHR_texture_transform: translation · rotation · scale. */
function textureTransform(placed: Transform): [number, number, number, number, number, number] {
  const [[x, y], [sx, sy]] = [placed.getOffset(), placed.getScale()];
  const [c, s] = [Math.cos(placed.getRotation()), Math.sin(placed.getRotation())];
  return [c * sx, -s * sx, s * sy, c * sy, x, y];
}

function alphaModeOf(mode: string): AlphaMode {
  return mode === 'MASK' ? 'mask' : mode === 'BLEND' ? 'blend' : 'opaque';
}

function wrapOf(mode: number): Wrap {
  return mode === CLAMP_TO_EDGE ? 'clamp' : mode === MIRRORED_REPEAT ? 'mirror' : 'repeat';
}

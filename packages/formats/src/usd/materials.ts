import { memoised } from '../memoised.ts';
import { DEFAULT_MATERIAL, type Image, type Material, type Texture } from '../model/scene.ts';
import { type PictureUse, pictureOf, shaderKind, sourceOf } from './network.ts';
import {
  colorLevels,
  colorScale,
  isTiled,
  loadPicture,
  normalLevels,
  type OpenedStage,
  packedLevels,
  placement,
  type UsedPicture,
  withOpacity,
} from './pictures.ts';
import type { UsdStage } from './stage/stage.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { isAsset, type UsdValue } from './stage/values.ts';
import { INPUTS, type SurfaceInputs } from './surfaces.ts';
import { numberOf, vectorOf } from './values.ts';

/** A material of a stage, as far as it is drawn. */
export interface UsdMaterial {
  /** Names of the primvars that its textures are laid out by. */
  readonly uvs: readonly string[];
  /** Its colour is that of the surface that it is on. */
  readonly usesColors: boolean;
  /** Its pictures differ from tile to tile of the first of `uvs`. */
  readonly isTiled: boolean;
  load(tile: number): Promise<Material>;
}

const OUTPUTS = ['outputs:surface', 'outputs:mtlx:surface', 'outputs:mdl:surface'];
const DEFAULT_UVS = 'st';

type Color = readonly [number, number, number];

/** The materials of a stage, each read once. */
export class UsdMaterials {
  readonly #opened: OpenedStage;

  constructor(opened: OpenedStage) {
    this.#opened = opened;
  }

  /** Undefined for a material whose surface is not understood. */
  readonly of = memoised((material: UsdPrim): UsdMaterial | undefined => {
    const { stage, context } = this.#opened;
    for (const output of OUTPUTS) {
      const source = sourceOf(stage, material, output);
      if (!('shader' in source)) continue;
      const kind = shaderKind(source.shader);
      const inputs = INPUTS.find(({ kinds }) => kinds.test(kind));
      if (inputs !== undefined) return surfaceOf(this.#opened, source.shader, inputs);
      context.omissions.count('textures', material.path);
      context.omissions.omit(
        'textures',
        material.path,
        `surfaces of kind ${kind.slice(0, 60)} are not drawn`,
      );
    }
    return undefined;
  });
}

function surfaceOf(opened: OpenedStage, shader: UsdPrim, inputs: SurfaceInputs): UsdMaterial {
  const surface = new Surface(opened.stage, shader, inputs);
  const uses = surface.pictures();
  const uvs = [...new Set(uses.map((use) => use.uvs))].slice(0, 2);
  return {
    uvs: uvs.length > 0 ? uvs : [],
    usesColors: surface.usesColors,
    isTiled: uses.some(isTiled),
    load: memoised((tile) => surface.load(tile, uvs, opened)),
  };
}

type Part = keyof SurfaceInputs['names'];

class Surface {
  readonly #stage: UsdStage;
  readonly #shader: UsdPrim;
  readonly #inputs: SurfaceInputs;

  constructor(stage: UsdStage, shader: UsdPrim, inputs: SurfaceInputs) {
    this.#stage = stage;
    this.#shader = shader;
    this.#inputs = inputs;
  }

  pictures(): PictureUse[] {
    return (Object.keys(this.#inputs.names) as Part[]).flatMap((part) => this.#picture(part) ?? []);
  }

  get usesColors(): boolean {
    const source = this.#source('color');
    return (
      source !== undefined &&
      'shader' in source &&
      this.#picture('color') === undefined &&
      readsColors(this.#stage, source.shader)
    );
  }

  async load(tile: number, uvs: readonly string[], opened: OpenedStage): Promise<Material> {
    const load = async (part: Part) => {
      const use = this.#picture(part);
      return use && loadPicture(use, tile, opened);
    };
    const [color, roughness, metallic, normal, emission, opacity, occlusion] = await Promise.all(
      (['color', 'roughness', 'metallic', 'normal', 'emission', 'opacity', 'occlusion'] as const).map(load),
    );
    const place = (
      picture: UsedPicture | undefined,
      levels: readonly Image[] | undefined,
    ): Texture | undefined =>
      picture &&
      levels &&
      placement(picture, this.#stage, uvs.indexOf(picture.use.uvs) === 1 ? 1 : 0, levels);
    const { defaults } = this.#inputs;
    const constantOpacity = this.#opacity();
    const cutoff = this.#number('cutoff') ?? 0;
    const isClear = opacity !== undefined || constantOpacity < 0.999;
    const surface = roughness ?? metallic;
    const base = this.#baseColor(color);
    const colors = color && colorLevels(color);
    return {
      ...DEFAULT_MATERIAL,
      baseColor: [...base.color, constantOpacity],
      baseColorTexture:
        color && colors
          ? place(color, opacity ? withOpacity(colors, opacity) : colors)
          : place(opacity, opacity && packedLevels({ 3: opacity })),
      metallic: metallic ? 1 : (base.metallic ?? this.#number('metallic') ?? defaults.metallic),
      roughness: roughness ? 1 : (this.#number('roughness') ?? defaults.roughness),
      metallicRoughnessTexture: place(
        surface,
        packedLevels({
          1: roughness ?? 1,
          2: metallic ?? 1,
        }),
      ),
      emissive: this.#emission(emission),
      emissiveTexture: place(emission, emission && colorLevels(emission)),
      normalTexture: place(normal, normal && normalLevels(normal)),
      occlusionTexture: place(occlusion, occlusion && packedLevels({ 0: occlusion })),
      alphaMode: cutoff > 0 ? 'mask' : isClear ? 'blend' : 'opaque',
      alphaCutoff: cutoff > 0 ? cutoff : 0.5,
    };
  }

  /** Base colour and, of a surface with a specular colour, how metallic it is. */
  #baseColor(picture: UsedPicture | undefined): { color: Color; metallic?: number } {
    const { names, defaults } = this.#inputs;
    const factor = this.#number('weight') ?? 1;
    const tint = names.tint && (vectorOf(this.#value('tint')) ?? [1, 1, 1]);
    const own: Color = picture ? colorScale(picture) : (vectorOf(this.#value('color')) ?? defaults.color);
    const color = own.map((part, k) =>
      Math.min(1, Math.max(0, part * factor * ((picture && tint?.[k]) ?? 1))),
    ) as unknown as Color;
    if (numberOf(this.#value('isSpecular')) !== 1) return { color };
    const specular = vectorOf(this.#value('specular')) ?? [0, 0, 0];
    const [shine, light] = [Math.max(...specular), Math.max(...color)];
    const metallic = shine <= 0.05 ? 0 : Math.min(1, Math.max(0, (shine - 0.04) / (shine + light || 1)));
    return {
      color: color.map((part, k) => part + (specular[k] ?? 0) * metallic) as unknown as Color,
      metallic,
    };
  }

  #emission(picture: UsedPicture | undefined): Color {
    const isOn = this.#inputs.names.hasEmission === undefined || numberOf(this.#value('hasEmission')) === 1;
    if (!isOn) return [0, 0, 0];
    const weight = this.#number('emissionWeight') ?? this.#inputs.defaults.emissionWeight;
    // Intensities are in units of light; what shines at all is shown at full strength.
    const strength = Math.min(1, weight);
    const color = picture
      ? colorScale(picture)
      : (vectorOf(this.#value('emission')) ?? this.#inputs.defaults.emission);
    return color.map((part) => Math.max(0, part * strength)) as unknown as Color;
  }

  /** Glass lets most light through, whatever its opacity. */
  #opacity(): number {
    const { names } = this.#inputs;
    if (names.hasOpacity !== undefined && numberOf(this.#value('hasOpacity')) !== 1) return 1;
    if (this.#picture('opacity') !== undefined) return 1;
    const value = this.#value('opacity');
    const opacity = numberOf(value) ?? 1;
    const transmitted = Math.min(1, Math.max(0, this.#number('transmission') ?? 0));
    return Math.min(1, Math.max(0, opacity)) * (1 - 0.8 * transmitted);
  }

  #number(part: Part): number | undefined {
    return numberOf(this.#value(part));
  }

  #value(part: Part): UsdValue | undefined {
    const source = this.#source(part);
    return source !== undefined && 'value' in source ? source.value : undefined;
  }

  #source(part: Part) {
    const names = this.#inputs.names[part] ?? [];
    for (const name of names) {
      const source = sourceOf(this.#stage, this.#shader, `inputs:${name}`);
      const isEmpty =
        'value' in source &&
        (source.value === undefined || (isAsset(source.value) && source.value.asset === ''));
      if (!isEmpty) return source;
    }
    return undefined;
  }

  #picture(part: Part): PictureUse | undefined {
    const source = this.#source(part);
    if (source === undefined) return undefined;
    // Surfaces in MDL name their pictures themselves.
    if ('value' in source) {
      const { value } = source;
      if (!isAsset(value) || value.asset === '') return undefined;
      return {
        file: value,
        channel: this.#inputs.channels?.[part] ?? 'rgb',
        shader: this.#shader,
        uvs: DEFAULT_UVS,
        transform: [1, 0, 0, 1, 0, 0],
      };
    }
    return pictureOf(this.#stage, source, DEFAULT_UVS);
  }
}

function readsColors(stage: UsdStage, shader: UsdPrim): boolean {
  const name = sourceOf(stage, shader, 'inputs:varname');
  const other = sourceOf(stage, shader, 'inputs:geomprop');
  return [name, other].some((source) => 'value' in source && source.value === 'displayColor');
}

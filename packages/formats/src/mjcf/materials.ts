import type { MjModel } from '@mujoco/mujoco';
import { srgbToLinear } from '../images/pixels.ts';
import { buildMipmaps, texture } from '../images/textures.ts';
import { memoised } from '../memoised.ts';
import { DEFAULT_MATERIAL, type Image, type Material, type Texture } from '../model/scene.ts';

/** mjNTEXROLE, and the values of mjTEXROLE_RGB and mjTEXROLE_RGBA. */
const TEXTURE_ROLES = 10;
const RGB_ROLES = [1, 8];
/** The colour of a geom that does not set one. */
const DEFAULT_RGBA = [0.5, 0.5, 0.5, 1];

/** What colours a part: its own colour, and the index of its material, −1 for none. */
export interface Paint {
  readonly rgba: Float32Array;
  readonly material: number;
}

/** The materials of a model, its textures read once. */
export class ModelMaterials {
  readonly #model: MjModel;

  constructor(model: MjModel) {
    this.#model = model;
  }

  /** MuJoCo's rule: a part's own colour applies unless the part has a material and its colour is the default. */
  color({ rgba, material }: Paint): [number, number, number, number] {
    const isDefault = rgba.every((value, index) => value === DEFAULT_RGBA[index]);
    const chosen = material >= 0 && isDefault ? slice(this.#model.mat_rgba, material, 4) : [...rgba];
    return chosen as [number, number, number, number];
  }

  material(paint: Paint): Material {
    const [red, green, blue, alpha] = this.color(paint);
    const baseColor = [srgbToLinear(red), srgbToLinear(green), srgbToLinear(blue), alpha] as const;
    const alphaMode = alpha < 0.999 ? 'blend' : 'opaque';
    const { material } = paint;
    if (material < 0) return { ...DEFAULT_MATERIAL, baseColor, alphaMode };
    const value = (name: 'mat_emission' | 'mat_shininess' | 'mat_metallic' | 'mat_roughness') =>
      (this.#model[name] as ArrayLike<number>)[material] ?? 0;
    const emission = value('mat_emission');
    return {
      ...DEFAULT_MATERIAL,
      baseColor,
      alphaMode,
      baseColorTexture: this.#texture(material),
      metallic: Math.max(0, value('mat_metallic')),
      roughness: value('mat_roughness') >= 0 ? value('mat_roughness') : 0.85 - 0.5 * value('mat_shininess'),
      emissive: [baseColor[0] * emission, baseColor[1] * emission, baseColor[2] * emission],
    };
  }

  #texture(material: number): Texture | undefined {
    const roles = slice(this.#model.mat_texid, material, TEXTURE_ROLES);
    const id = RGB_ROLES.map((role) => roles[role] ?? -1).find((one) => one >= 0);
    if (id === undefined) return undefined;
    const [repeatU = 1, repeatV = 1] = slice(this.#model.mat_texrepeat, material, 2);
    return texture(this.#levels(id), { transform: [repeatU, 0, 0, repeatV, 0, 0] });
  }

  /** The levels of a flat texture, but only the mean colour of a cube texture, which is mapped by direction. */
  readonly #levels = memoised((id: number): readonly Image[] => {
    const of = (values: unknown) => (values as ArrayLike<number>)[id] as number;
    const [width, height, channels] = [
      of(this.#model.tex_width),
      of(this.#model.tex_height),
      of(this.#model.tex_nchannel),
    ];
    const start = of(this.#model.tex_adr);
    const pixels = (this.#model.tex_data as Uint8Array).slice(start, start + width * height * channels);
    const isFlat = of(this.#model.tex_type) === 0;
    const levels = buildMipmaps({ width, height, data: toRgba(pixels, channels) });
    return isFlat ? levels : levels.slice(-1).map(meanOf);
  });
}

/** One texel of the mean colour: the smallest level of six faces below each other has six. */
function meanOf({ width, height, data }: Image): Image {
  const count = width * height;
  const sums = [0, 1, 2, 3].map((k) => {
    let sum = 0;
    for (let at = k; at < data.length; at += 4) sum += data[at] as number;
    return Math.round(sum / count);
  });
  return { width: 1, height: 1, data: Uint8Array.from(sums) };
}

function toRgba(pixels: Uint8Array, channels: number): Uint8Array {
  const count = Math.floor(pixels.length / channels);
  const data = new Uint8Array(count * 4).fill(255);
  for (let texel = 0; texel < count; texel++) {
    for (let k = 0; k < Math.min(4, channels); k++)
      data[texel * 4 + k] = pixels[texel * channels + k] as number;
  }
  return data;
}

function slice(values: unknown, row: number, width: number): number[] {
  const table = values as ArrayLike<number>;
  return Array.from({ length: width }, (_, k) => table[row * width + k] ?? 0);
}

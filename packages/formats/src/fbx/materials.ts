import type { LoadContext } from '../context.ts';
import { srgbToLinear } from '../images/pixels.ts';
import { texture } from '../images/textures.ts';
import { DEFAULT_MATERIAL, type Image, type Material, type Texture } from '../model/scene.ts';
import { roughnessOf } from '../obj/mtl.ts';
import { type FbxDocument, type FbxObject, pictureOf } from './document.ts';
import type { FbxPart } from './geometry.ts';
import { numberOf } from './record.ts';

/**
 * What programs call the properties of a surface: those of Lambert and Phong, which all files have, last. Names are
 * compared without the program in front (`Maya|`, `3dsMax|Parameters|`), letter case and underscores.
 */
const NAMES = {
  color: ['basecolor', 'diffusecolor', 'diffuse'],
  colorFactor: ['base', 'baseweight', 'diffusefactor'],
  colorMap: ['texcolormap', 'basecolormap', 'basecolor', 'diffusemap', 'colormap', 'diffusecolor', 'diffuse'],
  metallic: ['metalness', 'metallic', 'basemetalness'],
  roughness: ['specularroughness', 'roughness'],
  glossiness: ['glossiness'],
  normalMap: ['texnormalmap', 'normmap', 'bumpmap', 'normalcamera', 'normalmap'],
  emissive: ['emissive', 'emissioncolor', 'emitcolor', 'emissivecolor'],
  emissiveFactor: ['emissiveintensity', 'emission', 'emissivefactor'],
  emissiveMap: ['texemissivemap', 'emissivemap', 'emitcolormap', 'emissioncolor', 'emissivecolor'],
  occlusionMap: ['texaomap', 'aomap', 'ambientocclusion'],
  transparencyMap: ['transparentcolor', 'transparencyfactor', 'opacity', 'opacitymap', 'cutoutmap'],
} as const;

/** Whether a program's own material stands in the file beside the Lambert or Phong that stands in for it. */
const OWN_MATERIAL = /^(?:Maya|3dsMax|Arnold)\|/;

type Surface = keyof typeof NAMES;

const WHITE = [1, 1, 1];

/** The materials of a document, each read once. */
export class FbxMaterials {
  readonly #document: FbxDocument;
  readonly #path: string;
  readonly #context: LoadContext;
  readonly #materials = new Map<string, Promise<Material>>();
  readonly #embedded = new Map<FbxObject, Promise<readonly Image[] | undefined>>();

  constructor(document: FbxDocument, path: string, context: LoadContext) {
    this.#document = document;
    this.#path = path;
    this.#context = context;
  }

  /** The material of a part of a node; undefined if the node has none. Before 7.0 nodes also have textures. */
  async ofPart(node: FbxObject, part: FbxPart, uvSets: readonly string[]): Promise<Material | undefined> {
    const own = this.#document.connectedTo(node, 'Material').map(({ object }) => object);
    const painted = this.#document.connectedTo(node, 'Texture').map(({ object }) => object);
    const material = own[part.material] ?? own[0];
    const texture = part.texture < 0 ? undefined : (painted[part.texture] ?? painted[0]);
    return material && this.#material(material, uvSets, texture);
  }

  /** `painted`: the texture of the node, in place of that of the material. */
  #material(object: FbxObject, uvSets: readonly string[], painted?: FbxObject): Promise<Material> {
    const key = [object.id, painted?.id, ...uvSets].join('\0');
    const material = this.#materials.get(key) ?? this.#read(object, uvSets, painted);
    this.#materials.set(key, material);
    return material;
  }

  async #read(
    object: FbxObject,
    uvSets: readonly string[],
    painted: FbxObject | undefined,
  ): Promise<Material> {
    const look = new Look(this.#document, object);
    const map = (name: Surface) => this.#texture(look.mapOf(name), uvSets);
    const baseColorTexture = await this.#texture(painted ?? look.mapOf('colorMap'), uvSets);
    const [red, green, blue] = baseColorTexture ? [1, 1, 1] : look.color('color', 'colorFactor', 0.8);
    const emissiveTexture = await map('emissiveMap');
    const emissive = look.color('emissive', 'emissiveFactor', 0, emissiveTexture && WHITE);
    const opacity = look.opacity();
    const hole = look.mapOf('transparencyMap');
    const hasHoles = hole !== undefined && hole === look.mapOf('colorMap');
    return {
      ...DEFAULT_MATERIAL,
      baseColor: [srgbToLinear(red), srgbToLinear(green), srgbToLinear(blue), opacity],
      baseColorTexture,
      metallic: look.metallic(),
      roughness: look.roughness(),
      emissive: [srgbToLinear(emissive[0]), srgbToLinear(emissive[1]), srgbToLinear(emissive[2])],
      emissiveTexture,
      normalTexture: await map('normalMap'),
      occlusionTexture: await map('occlusionMap'),
      alphaMode: opacity < 0.999 ? 'blend' : hasHoles ? 'mask' : 'opaque',
    };
  }

  async #texture(object: FbxObject | undefined, uvSets: readonly string[]): Promise<Texture | undefined> {
    const picture = object && pictureOf(this.#document, object);
    if (object === undefined || picture === undefined) return undefined;
    const { files, textures } = this.#context;
    const use = useOf(this.#document, object, uvSets);
    const { reference, content } = picture;
    if (content === undefined)
      return textures.loadReferenced(reference, files.resolve(this.#path, reference), use);
    const levels = this.#embedded.get(object) ?? textures.loadEmbedded(reference, content.read());
    this.#embedded.set(object, levels);
    return texture(await levels, use);
  }
}

/** How a texture lies on a surface. */
function useOf(document: FbxDocument, object: FbxObject, uvSets: readonly string[]): Partial<Texture> {
  const numbers = (name: string, otherwise: number) =>
    [0, 1].map((axis) => {
      const value = numberOf(document.property(object, name)?.[axis]);
      return Number.isFinite(value) ? value : otherwise;
    }) as [number, number];
  const [[u, v], [width, height]] = [numbers('Translation', 0), numbers('Scaling', 1)];
  const isPlain = u === 0 && v === 0 && width === 1 && height === 1;
  const set = document.property(object, 'UVSet')?.[0];
  return {
    wrapU: wrapOf(document, object, 'WrapModeU'),
    wrapV: wrapOf(document, object, 'WrapModeV'),
    uvSet: uvSets.indexOf(typeof set === 'string' ? set : '') === 1 ? 1 : 0,
    // v of this scene runs down: v' = 1 − (height · (1 − v) + shift).
    ...(!isPlain && { transform: [width, 0, 0, height, u, 1 - height - v] as const }),
  };
}

function wrapOf(document: FbxDocument, object: FbxObject, name: string): Texture['wrapU'] {
  return numberOf(document.property(object, name)?.[0]) === 1 ? 'clamp' : 'repeat';
}

/** The look of a material, whatever program it is from. */
class Look {
  readonly #document: FbxDocument;
  readonly #object: FbxObject;
  readonly #names: ReadonlyMap<string, string>;
  readonly #maps: ReadonlyMap<string, FbxObject>;
  readonly #isOwn: boolean;

  constructor(document: FbxDocument, object: FbxObject) {
    this.#document = document;
    this.#object = object;
    const names = document.namesOf(object);
    this.#names = new Map(names.map((name) => [plain(name), name]));
    this.#isOwn = names.some((name) => OWN_MATERIAL.test(name));
    this.#maps = new Map(
      document
        .connectedTo(object)
        .flatMap(({ object: source, property }) => {
          const found = property === undefined ? undefined : textureIn(document, source);
          return found === undefined || property === undefined ? [] : [[plain(property), found] as const];
        })
        .reverse(),
    );
  }

  mapOf(name: Surface): FbxObject | undefined {
    return NAMES[name].map((one) => this.#maps.get(one)).find((map) => map !== undefined);
  }

  /** A colour, or that which a texture stands for, in the share that the material states. */
  color(
    name: Surface,
    factor: Surface,
    otherwise: number,
    instead?: readonly number[],
  ): readonly [number, number, number] {
    const [x, y, z] = instead ?? (this.#values(name) ?? []).map(numberOf);
    const share = this.#number(factor) ?? 1;
    const at = (value: number | undefined) =>
      value === undefined || !Number.isFinite(value) ? otherwise : Math.min(1, Math.max(0, value * share));
    return [at(x), at(y ?? x), at(z ?? x)];
  }

  metallic(): number {
    const stated = this.#number('metallic');
    // Blender writes how metallic a surface is into how much of its surroundings it reflects.
    return clamp((this.#isOwn ? stated : this.#isFromBlender() ? this.#plain('ReflectionFactor') : 0) ?? 0);
  }

  roughness(): number {
    if (this.#isOwn) {
      const glossiness = this.#number('glossiness');
      return clamp(this.#number('roughness') ?? (glossiness === undefined ? 0.5 : 1 - glossiness));
    }
    const shininess = this.#plain('ShininessExponent') ?? this.#plain('Shininess');
    if (shininess === undefined) return DEFAULT_MATERIAL.roughness;
    if (this.#isFromBlender()) return clamp(1 - Math.sqrt(Math.max(0, shininess)) / 10);
    const isShiny = (this.#document.property(this.#object, 'SpecularColor') ?? []).some(
      (value) => numberOf(value) > 0,
    );
    const isPhong = /phong/i.test(this.#model());
    return isPhong && isShiny ? roughnessOf(shininess) : DEFAULT_MATERIAL.roughness;
  }

  /** What would be invisible is opaque: programs disagree about which of 0 and 1 that is. */
  opacity(): number {
    const factor = this.#plain('TransparencyFactor');
    const colors = (this.#document.property(this.#object, 'TransparentColor') ?? []).map(numberOf);
    const mean = colors.length === 0 ? 1 : colors.reduce((sum, value) => sum + value, 0) / colors.length;
    const stated = this.#plain('Opacity') ?? (factor === undefined ? 1 : 1 - factor * mean);
    return stated > 0 && stated < 1 ? stated : 1;
  }

  #isFromBlender(): boolean {
    return this.#document.creator.includes('Blender');
  }

  #model(): string {
    const record = this.#object.record.children.find(({ name }) => name === 'ShadingModel');
    const [model] = record?.values ?? [];
    return typeof model === 'string' ? model : '';
  }

  #values(name: Surface) {
    const written = NAMES[name].map((one) => this.#names.get(one)).find((one) => one !== undefined);
    return written === undefined ? undefined : this.#document.property(this.#object, written);
  }

  #number(name: Surface): number | undefined {
    const value = numberOf(this.#values(name)?.[0]);
    return Number.isFinite(value) ? value : undefined;
  }

  #plain(name: string): number | undefined {
    const value = numberOf(this.#document.property(this.#object, name)?.[0]);
    return Number.isFinite(value) ? value : undefined;
  }
}

function plain(name: string): string {
  return name
    .slice(name.lastIndexOf('|') + 1)
    .toLowerCase()
    .replaceAll('_', '');
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** A texture itself, or the lowest of several in layers. */
function textureIn(document: FbxDocument, object: FbxObject): FbxObject | undefined {
  if (object.type === 'Texture') return object;
  return object.type === 'LayeredTexture' ? document.connectedTo(object, 'Texture')[0]?.object : undefined;
}

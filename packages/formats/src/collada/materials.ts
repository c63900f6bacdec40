import type { LoadContext } from '../context.ts';
import { percentDecoded } from '../files/text.ts';
import { srgbToLinear } from '../images/pixels.ts';
import { memoised } from '../memoised.ts';
import { DEFAULT_MATERIAL, type Material, type Texture, type Wrap } from '../model/scene.ts';
import { roughnessOf } from '../obj/mtl.ts';
import { childNamed, type XmlElement } from '../reading/xml-elements.ts';
import { type ColladaDocument, firstNumbers } from './document.ts';

/** The shading models of the common profile. */
const MODELS: ReadonlySet<string> = new Set(['phong', 'lambert', 'blinn', 'constant']);

type Rgba = readonly [number, number, number, number];
const BLACK: Rgba = [0, 0, 0, 1];
const WHITE: Rgba = [1, 1, 1, 1];

/** The materials of a document, each effect read once. */
export class ColladaMaterials {
  readonly #document: ColladaDocument;
  readonly #images: ColladaImages;

  constructor(document: ColladaDocument, path: string, context: LoadContext) {
    this.#document = document;
    this.#images = new ColladaImages(document, path, context);
  }

  /** The material at an address; undefined if there is none or it does not use the common profile. */
  material(address: string | undefined): Promise<Material | undefined> {
    const material = this.#document.find('material', address);
    const effect = this.#document.find('effect', childNamed(material, 'instance_effect')?.attributes.url);
    return effect === undefined ? Promise.resolve(undefined) : this.#read(effect);
  }

  readonly #read = memoised(async (effect: XmlElement): Promise<Material | undefined> => {
    const technique = childNamed(childNamed(effect, 'profile_COMMON'), 'technique');
    const model = technique?.children.find(({ name }) => MODELS.has(name));
    if (model === undefined) return undefined;
    const opacity = opacityOf(childNamed(model, 'transparent'), numberOf(childNamed(model, 'transparency')));
    const alphaMode = opacity < 0.999 ? 'blend' : hasHoles(model) ? 'mask' : 'opaque';
    const diffuse = await this.#paint(model.name === 'constant' ? 'emission' : 'diffuse', model, effect);
    const [red = 0, green = 0, blue = 0] = diffuse.color ?? DEFAULT_MATERIAL.baseColor;
    const look = {
      ...DEFAULT_MATERIAL,
      baseColor: [red, green, blue, opacity] as const,
      baseColorTexture: diffuse.texture,
      alphaMode,
    } as const;
    if (model.name === 'constant') return { ...look, unlit: true };
    const emission = await this.#paint('emission', model, effect);
    const [glowRed = 0, glowGreen = 0, glowBlue = 0] = emission.color ?? BLACK;
    return {
      ...look,
      roughness: roughness(model),
      emissive: [glowRed, glowGreen, glowBlue],
      emissiveTexture: emission.texture,
    };
  });

  /** A channel's texture or, if it has none that can be read, its colour. */
  async #paint(channel: string, model: XmlElement, effect: XmlElement) {
    const element = childNamed(model, channel);
    const texture = await this.#images.texture(childNamed(element, 'texture')?.attributes.texture, effect);
    const color = texture === undefined ? colorOf(element) : WHITE;
    return { texture, color: color?.map(srgbToLinear) };
  }
}

function colorOf(channel: XmlElement | undefined): Rgba | undefined {
  const color = childNamed(channel, 'color');
  return color && firstNumbers(color.text, BLACK);
}

function numberOf(channel: XmlElement | undefined): number | undefined {
  const [value] = firstNumbers(childNamed(channel, 'float')?.text, [Number.NaN] as const);
  return Number.isNaN(value) ? undefined : value;
}

/**
 * The specification's rules for `<transparent>` and `<transparency>` by opaque mode. Materials that they would make
 * invisible are opaque: many exporters mean the opposite mode, and models meant to be invisible are rare.
 */
function opacityOf(transparent: XmlElement | undefined, factor = 1): number {
  const color = colorOf(transparent);
  if (color === undefined) return 1;
  const visible = (share: number) => (share > 0 ? Math.min(1, share) : 1);
  const [red, green, blue, alpha] = color;
  const luminance = 0.212671 * red + 0.71516 * green + 0.072169 * blue;
  switch (transparent?.attributes.opaque) {
    case 'A_ZERO':
      return visible(1 - alpha * factor);
    case 'RGB_ONE':
      return visible(luminance * factor);
    case 'RGB_ZERO':
      return visible(1 - luminance * factor);
    default:
      return visible(alpha * factor);
  }
}

/** Whether the colour texture also marks holes: the transparency has the same texture. */
function hasHoles(model: XmlElement): boolean {
  const [transparent, diffuse] = ['transparent', 'diffuse'].map(
    (channel) => childNamed(childNamed(model, channel), 'texture')?.attributes.texture,
  );
  return transparent !== undefined && transparent === diffuse;
}

function roughness(model: XmlElement): number {
  const shininess = numberOf(childNamed(model, 'shininess'));
  const isShiny = colorOf(childNamed(model, 'specular'))?.some((part, k) => k < 3 && part > 0);
  return shininess !== undefined && isShiny ? roughnessOf(shininess) : DEFAULT_MATERIAL.roughness;
}

/** The images that effects refer to. */
class ColladaImages {
  readonly #document: ColladaDocument;
  readonly #path: string;
  readonly #context: LoadContext;

  constructor(document: ColladaDocument, path: string, context: LoadContext) {
    this.#document = document;
    this.#path = path;
    this.#context = context;
  }

  /**
   * The texture of an effect's sampler (or, as some files write it, of an image by its id); undefined if the asset has
   * no such file or it cannot be decoded.
   */
  async texture(name: string | undefined, effect: XmlElement): Promise<Texture | undefined> {
    if (name === undefined) return undefined;
    const sampler = parameter(name, effect)?.children.find((child) => child.name === 'sampler2D');
    const image = this.#image(sampler, effect) ?? this.#document.find('image', `#${name}`);
    const reference = referenceOf(image);
    return this.#context.textures.loadReferenced(
      reference || name,
      this.#context.files.resolve(this.#path, reference),
      {
        wrapU: wrapOf(childNamed(sampler, 'wrap_s')),
        wrapV: wrapOf(childNamed(sampler, 'wrap_t')),
      },
    );
  }

  /** In COLLADA 1.5 a sampler names its image; before that, it names a surface, which names the image. */
  #image(sampler: XmlElement | undefined, effect: XmlElement): XmlElement | undefined {
    const instance = childNamed(sampler, 'instance_image');
    if (instance !== undefined) return this.#document.find('image', instance.attributes.url);
    const source = childNamed(sampler, 'source')?.text;
    const surface = source && childNamed(parameter(source, effect), 'surface');
    return surface ? this.#document.find('image', `#${childNamed(surface, 'init_from')?.text}`) : undefined;
  }
}

function referenceOf(image: XmlElement | undefined): string {
  const source = childNamed(image, 'init_from');
  return percentDecoded(childNamed(source, 'ref')?.text ?? source?.text ?? '');
}

/** A parameter of an effect or of its common profile, by its name within the effect. */
function parameter(name: string, effect: XmlElement): XmlElement | undefined {
  const isNamed = (child: XmlElement) => child.name === 'newparam' && child.attributes.sid === name;
  const profile = childNamed(effect, 'profile_COMMON');
  return profile?.children.find(isNamed) ?? effect.children.find(isNamed);
}

function wrapOf(mode: XmlElement | undefined): Wrap {
  switch (mode?.text) {
    case 'MIRROR':
      return 'mirror';
    case 'CLAMP':
    case 'BORDER':
    case 'NONE':
      return 'clamp';
    default:
      return 'repeat';
  }
}

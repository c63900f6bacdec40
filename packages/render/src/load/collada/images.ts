import { percentDecoded } from '@bindery/formats';
import type { Texture, Wrap } from '../../scene.ts';
import type { LoadContext } from '../context.ts';
import { childNamed, type XmlElement } from '../xml.ts';
import type { ColladaDocument } from './document.ts';

/** The images that effects refer to. */
export class ColladaImages {
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

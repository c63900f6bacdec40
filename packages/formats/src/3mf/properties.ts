import { srgbToLinear } from '../images/pixels.ts';
import type { TextureLoader } from '../images/textures.ts';
import { memoised } from '../memoised.ts';
import { DEFAULT_MATERIAL, type Material, type Texture } from '../model/scene.ts';
import { named } from '../named.ts';
import { childrenOf, type ModelPart, plain, type Row } from './model-part.ts';

/** What a property says of the corners that have it. */
export interface Property {
  /** The triangles of one look are one part. */
  readonly look: Look;
  readonly color?: readonly number[] | undefined;
  readonly uv?: readonly [number, number] | undefined;
}

export type Look = Material | 'colors' | TextureOfPart;

/** A picture in the package. */
export interface TextureOfPart {
  readonly path: string;
  readonly use: Partial<Texture>;
}

const WRAPS: Readonly<Record<string, Texture['wrapU']>> = named({
  mirror: 'mirror',
  clamp: 'clamp',
  none: 'clamp',
});

/** The groups of properties of a part, each read once. */
export class Properties {
  readonly #part: ModelPart;
  readonly #groups = new Map<string, readonly Property[]>();

  constructor(part: ModelPart) {
    this.#part = part;
  }

  find(group: string | undefined, index: string | undefined): Property | undefined {
    return group === undefined ? undefined : this.#group(group)[Number(index)];
  }

  #group(id: string): readonly Property[] {
    let group = this.#groups.get(id);
    if (group === undefined) {
      // Also a group that refers to itself ends here.
      this.#groups.set(id, []);
      group = this.#read(id);
      this.#groups.set(id, group);
    }
    return group;
  }

  #read(id: string): readonly Property[] {
    const element = this.#part.resources.get(id);
    switch (plain(element?.name ?? '')) {
      case 'basematerials':
        return childrenOf(element, 'base').map(({ attributes }) => ({
          look: paint(attributes.displaycolor),
        }));
      case 'colorgroup':
        return this.#part.rows(element).map(({ color }) => ({ look: 'colors', color: rgba(color) }));
      case 'texture2dgroup': {
        const look = this.#texture(element?.attributes.texid ?? '');
        return this.#part.rows(element).map(({ u, v }) => ({ look, uv: [number(u), 1 - number(v)] }));
      }
      case 'compositematerials':
        return childrenOf(element, 'composite').map(({ attributes }) => {
          const shares = (attributes.values ?? '').trim().split(/\s+/).map(Number);
          const most = shares.indexOf(Math.max(...shares));
          const index = (element?.attributes.matindices ?? '').trim().split(/\s+/)[most];
          return this.find(element?.attributes.matid, index) ?? { look: DEFAULT_MATERIAL };
        });
      case 'multiproperties': {
        const layers = (element?.attributes.pids ?? '').trim().split(/\s+/);
        return childrenOf(element, 'multi').map(({ attributes }) => {
          const indices = (attributes.pindices ?? '').trim().split(/\s+/);
          const found = layers.flatMap((layer, at) => this.find(layer, indices[at] ?? '0') ?? []);
          return found.findLast(({ uv }) => uv) ?? found.at(-1) ?? { look: DEFAULT_MATERIAL };
        });
      }
      default:
        return [];
    }
  }

  readonly #texture = memoised((id: string): TextureOfPart => {
    const { path = '', tilestyleu = '', tilestylev = '' } = this.#part.resources.get(id)?.attributes ?? {};
    const use = { wrapU: WRAPS[tilestyleu] ?? 'repeat', wrapV: WRAPS[tilestylev] ?? 'repeat' } as const;
    return { path: path.replace(/^\//, ''), use };
  });
}

/** The properties of the corners of a triangle; those of its object where it states none. */
export function cornersOf(properties: Properties, triangle: Row, object: Row): (Property | undefined)[] {
  const group = triangle.pid ?? object.pid;
  const first = triangle.p1 ?? (triangle.pid === undefined ? object.pindex : undefined);
  return [first, triangle.p2 ?? first, triangle.p3 ?? first].map((index) => properties.find(group, index));
}

/** The material of a look. */
export async function materialOf(look: Look, textures: TextureLoader): Promise<Material> {
  const white = { ...DEFAULT_MATERIAL, baseColor: [1, 1, 1, 1] as const };
  if (look === 'colors') return white;
  if (!('path' in look)) return look;
  return { ...white, baseColorTexture: await textures.loadReferenced(look.path, look.path, look.use) };
}

function paint(color: string | undefined): Material {
  const [red = 0, green = 0, blue = 0, alpha = 1] = rgba(color) ?? DEFAULT_MATERIAL.baseColor;
  const isClear = alpha > 0 && alpha < 1;
  return {
    ...DEFAULT_MATERIAL,
    baseColor: [red, green, blue, isClear ? alpha : 1],
    alphaMode: isClear ? 'blend' : 'opaque',
  };
}

/** `#RRGGBB` or `#RRGGBBAA`, linear. */
function rgba(color: string | undefined): readonly number[] | undefined {
  const digits = /^#([\da-f]{6})([\da-f]{2})?$/i.exec(color?.trim() ?? '');
  if (digits?.[1] === undefined) return undefined;
  const parts = [0, 2, 4].map((at) => Number.parseInt(digits[1]?.slice(at, at + 2) ?? '', 16) / 255);
  return [...parts.map(srgbToLinear), Number.parseInt(digits[2] ?? 'ff', 16) / 255];
}

function number(text: string | undefined): number {
  const value = Number(text);
  return Number.isFinite(value) ? value : 0;
}

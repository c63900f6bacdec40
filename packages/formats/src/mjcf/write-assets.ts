import { linearToSrgb } from '../images/pixels.ts';
import { encodePng } from '../images/png.ts';
import type { Mesh, MeshPart } from '../model/mechanism.ts';
import { DEFAULT_MATERIAL, type Geometry, type Image, type Material } from '../model/scene.ts';
import { objFile, stlFile } from '../writing/meshes.ts';
import { UniqueNames } from '../writing/names.ts';
import { type Element, element } from '../writing/xml.ts';

/** MuJoCo reads no larger STL, and none with less than four vertices. */
const MIN_STL_FACETS = 4;
const MAX_STL_FACETS = 200_000;

interface Paint {
  readonly material?: string;
  readonly rgba?: readonly number[];
}

/** The meshes, materials and textures of a model, each once. */
export class MjcfAssets {
  readonly geomNames = new UniqueNames();
  readonly #meshNames = new UniqueNames();
  readonly #meshes = new Map<Geometry, string>();
  readonly #materials = new Map<string, { readonly name: string; readonly material: Material }>();
  readonly #textures = new Map<Image, string>();
  readonly #files = new Map<string, () => Uint8Array | Promise<Uint8Array>>();

  mesh({ name: wanted }: Mesh, part: MeshPart): string {
    const { geometry } = part;
    let name = this.#meshes.get(geometry);
    if (name === undefined) {
      name = this.#meshNames.uniqueFile(wanted);
      this.#meshes.set(geometry, name);
      const facets = geometry.indices.length / 3;
      const isStl = geometry.uvs === undefined && facets >= MIN_STL_FACETS && facets <= MAX_STL_FACETS;
      if (isStl) this.#files.set(`meshes/${name}.stl`, () => stlFile([geometry]));
      else this.#files.set(`meshes/${name}.obj`, () => objFile([part]));
    }
    return name;
  }

  paint(material: Material | undefined): Paint {
    if (material === undefined) return {};
    const rgba = rgbaOf(material);
    const { baseColorTexture, metallic, roughness } = material;
    const isPlain = metallic === DEFAULT_MATERIAL.metallic && roughness === DEFAULT_MATERIAL.roughness;
    const [image] = baseColorTexture?.levels ?? [];
    if (isPlain && image === undefined) return { rgba };
    const texture = image && this.#texture(image);
    const key = JSON.stringify([rgba, metallic, roughness, texture]);
    const known = this.#materials.get(key) ?? { name: `material_${this.#materials.size + 1}`, material };
    this.#materials.set(key, known);
    return { material: known.name };
  }

  #texture(image: Image): string {
    const name = this.#textures.get(image) ?? `texture_${this.#textures.size + 1}`;
    this.#textures.set(image, name);
    this.#files.set(`textures/${name}.png`, () => encodePng(image));
    return name;
  }

  get elements(): Element[] {
    const textures = [...this.#textures.values()].map((name) =>
      element('texture', { name, type: '2d', file: `${name}.png` }),
    );
    const materials = [...this.#materials.values()].map(({ name, material }) => {
      const [image] = material.baseColorTexture?.levels ?? [];
      const { metallic, roughness } = material;
      const texture = image && this.#textures.get(image);
      return element('material', { name, rgba: rgbaOf(material), texture, metallic, roughness });
    });
    const meshes = [...this.#files.keys()].flatMap((path) => {
      const [, name, extension] = /^meshes\/(.*)\.(\w+)$/.exec(path) ?? [];
      // Bodies have their inertia, and a surface has one even where it encloses nothing.
      return name === undefined
        ? []
        : [element('mesh', { name, file: `${name}.${extension}`, inertia: 'shell' })];
    });
    return [...textures, ...materials, ...meshes];
  }

  async files(): Promise<[string, Uint8Array][]> {
    const files: [string, Uint8Array][] = [];
    for (const [path, write] of this.#files) files.push([path, await write()]);
    return files;
  }
}

function rgbaOf({ baseColor }: Material): number[] {
  const [red, green, blue, alpha] = baseColor;
  const channels = [linearToSrgb(red), linearToSrgb(green), linearToSrgb(blue), alpha];
  return channels.map((value) => Number(value.toFixed(6)));
}

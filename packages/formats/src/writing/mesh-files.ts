import { linearToSrgb } from '../images/pixels.ts';
import { encodePng } from '../images/png.ts';
import { memoised } from '../memoised.ts';
import type { Mesh, MeshPart } from '../model/mechanism.ts';
import type { Image, Material } from '../model/scene.ts';
import { objFile, stlFile } from './meshes.ts';
import { UniqueNames } from './names.ts';

const FOLDER = 'meshes';

interface MeshFile {
  readonly path: string;
  /** Whether the file says what the mesh looks like. */
  readonly hasMaterials: boolean;
}

/**
 * Meshes as files that robots refer to: OBJ with the materials in MTL, which every program that reads URDF or SDFormat
 * reads, with colours and textures. What only collides is STL.
 */
export class MeshFiles {
  readonly #names = new UniqueNames();
  readonly #byMesh = new Map<Mesh, Map<string, MeshFile>>();
  #textureCount = 0;
  readonly #materials = new Map<string, string>();
  readonly #files = new Map<string, () => Uint8Array | Promise<Uint8Array>>();

  /** The file of a mesh, with its own materials or, if a texture has to lie on it, with the given one. */
  fileOf(mesh: Mesh, role: 'visual' | 'collision', material: Material | undefined): MeshFile {
    const hasTexture = material?.baseColorTexture !== undefined;
    const hasMaterials =
      role === 'visual' && (hasTexture || mesh.parts.some((part) => part.material !== undefined));
    const key =
      role === 'collision'
        ? role
        : hasMaterials && material !== undefined
          ? this.materialName(material)
          : 'visual';
    const files = this.#byMesh.get(mesh) ?? new Map<string, MeshFile>();
    this.#byMesh.set(mesh, files);
    const file = files.get(key) ?? this.#write(mesh, role, hasMaterials ? material : undefined, hasMaterials);
    files.set(key, file);
    return file;
  }

  #write(
    mesh: Mesh,
    role: 'visual' | 'collision',
    material: Material | undefined,
    hasMaterials: boolean,
  ): MeshFile {
    const name = this.#names.uniqueFile(role === 'collision' ? `${mesh.name}_collision` : mesh.name);
    if (role === 'collision') {
      const path = `${FOLDER}/${name}.stl`;
      this.#files.set(path, () => stlFile(mesh.parts.map(({ geometry }) => geometry)));
      return { path, hasMaterials };
    }
    const path = `${FOLDER}/${name}.obj`;
    if (!hasMaterials) this.#files.set(path, () => objFile(mesh.parts));
    else {
      const of = (part: MeshPart) => part.material ?? material;
      this.#files.set(path, () =>
        objFile(mesh.parts, `${name}.mtl`, (part) => {
          const own = of(part);
          return own && this.materialName(own);
        }),
      );
      this.#files.set(`${FOLDER}/${name}.mtl`, this.#library(mesh.parts.flatMap((part) => of(part) ?? [])));
    }
    return { path, hasMaterials };
  }

  #library(materials: readonly Material[]): () => Uint8Array {
    const byName = new Map(materials.map((material) => [this.materialName(material), material]));
    const lines = [...byName].flatMap(([name, material]) => {
      const { rgba, texture } = this.paintOf(material);
      const [red, green, blue, opacity] = rgba;
      const picture = texture === undefined ? [] : [`map_Kd ${texture.slice(FOLDER.length + 1)}`];
      const { metallic, roughness } = material;
      return [
        `newmtl ${name}`,
        `Kd ${red} ${green} ${blue}`,
        `d ${opacity}`,
        `Pm ${metallic}`,
        `Pr ${roughness}`,
        ...picture,
      ];
    });
    return () => new TextEncoder().encode(`${lines.join('\n')}\n`);
  }

  /** The colour of a material in sRGB, and the file of its texture. */
  paintOf({ baseColor, baseColorTexture }: Material): {
    rgba: readonly number[];
    texture: string | undefined;
  } {
    const [red, green, blue, alpha] = baseColor;
    const channels = [linearToSrgb(red), linearToSrgb(green), linearToSrgb(blue), alpha];
    const [image] = baseColorTexture?.levels ?? [];
    return {
      rgba: channels.map((value) => Number(value.toFixed(6))),
      texture: image && this.#texture(image),
    };
  }

  /** The same name for materials that look the same. */
  materialName(material: Material): string {
    const { rgba, texture } = this.paintOf(material);
    const key = JSON.stringify([rgba, texture, material.metallic, material.roughness]);
    const name = this.#materials.get(key) ?? `material_${this.#materials.size + 1}`;
    this.#materials.set(key, name);
    return name;
  }

  readonly #texture = memoised((image: Image) => {
    const path = `${FOLDER}/texture_${++this.#textureCount}.png`;
    this.#files.set(path, () => encodePng(image));
    return path;
  });

  async files(): Promise<[string, Uint8Array][]> {
    const files: [string, Uint8Array][] = [];
    for (const [path, write] of this.#files) files.push([path, await write()]);
    return files;
  }
}

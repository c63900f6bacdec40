import type { LoadContext } from '../context.ts';
import { decodeText } from '../files/text.ts';
import { srgbToLinear } from '../images/pixels.ts';
import { DEFAULT_MATERIAL, type Material, type Texture } from '../model/scene.ts';
import { named } from '../named.ts';
import { materialTextureFolders } from '../obj/materials.ts';
import { childNamed, childrenNamed, numbersOf, type XmlElement } from '../reading/xml-elements.ts';

/** Diffuse colours of `gazebo.material` in sRGB: that file comes with Gazebo Classic, not with models. */
const GAZEBO_COLORS: Readonly<Record<string, readonly [number, number, number]>> = named({
  Black: [0, 0, 0],
  Blue: [0, 0, 1],
  DarkGrey: [0.175, 0.175, 0.175],
  FlatBlack: [0.1, 0.1, 0.1],
  Gold: [0.8, 0.65, 0.06],
  Gray: [0.7, 0.7, 0.7],
  Green: [0, 1, 0],
  Grey: [0.7, 0.7, 0.7],
  Orange: [1, 0.51, 0.26],
  Purple: [1, 0, 1],
  Red: [1, 0, 0],
  SkyBlue: [0.13, 0.44, 0.7],
  Turquoise: [0, 1, 1],
  White: [1, 1, 1],
  Wood: [0.6, 0.45, 0.3],
  Yellow: [1, 1, 0],
});

/** The materials of visuals in SDFormat: colours, textures, OGRE scripts. */
export class SdfMaterials {
  readonly #context: LoadContext;
  readonly #scripts = new Map<string, readonly string[]>();

  constructor(context: LoadContext) {
    this.#context = context;
  }

  /** Returns the material of a visual; undefined if it does not define its look. */
  async materialOf(visual: XmlElement, file: string): Promise<Material | undefined> {
    const element = childNamed(visual, 'material');
    const [transparency = 0] = numbersOf(childNamed(visual, 'transparency')?.text, [0]);
    const material = element && (await this.#material(element, file));
    if (transparency <= 0) return material;
    const base = material ?? DEFAULT_MATERIAL;
    const [red, green, blue, alpha] = base.baseColor;
    return { ...base, baseColor: [red, green, blue, alpha * (1 - transparency)], alphaMode: 'blend' };
  }

  async #material(element: XmlElement, file: string): Promise<Material | undefined> {
    const physical =
      childNamed(childNamed(element, 'pbr'), 'metal') ?? childNamed(childNamed(element, 'pbr'), 'specular');
    const diffuse = childNamed(element, 'diffuse')?.text;
    const albedo = childNamed(physical, 'albedo_map')?.text;
    if (albedo !== undefined || diffuse !== undefined) {
      return colored(numbersOf(diffuse, [1, 1, 1, 1]), {
        baseColorTexture: albedo === undefined ? undefined : await this.#texture(albedo, file),
        metallic: numbersOf(childNamed(physical, 'metalness')?.text, [0])[0] ?? 0,
        roughness: numbersOf(childNamed(physical, 'roughness')?.text, [DEFAULT_MATERIAL.roughness])[0] ?? 1,
      });
    }
    const script = childNamed(element, 'script');
    return script && this.#scripted(script, file);
  }

  async #scripted(script: XmlElement, file: string): Promise<Material | undefined> {
    const name = childNamed(script, 'name')?.text ?? '';
    const builtIn = GAZEBO_COLORS[name.replace(/^Gazebo\//, '')];
    if (builtIn !== undefined) return colored([...builtIn, 1]);
    for (const { text } of childrenNamed(script, 'uri')) {
      for (const path of this.#materialFiles(text, file)) {
        const body = bodyOf(decodeText(await this.#context.files.read(path)), name);
        if (body === undefined) continue;
        const texture = /^[ \t]*texture[ \t]+(\S+)/m.exec(body)?.[1];
        const diffuse = /^[ \t]*(?:diffuse|ambient)[ \t]+([\d. \t]+)/m.exec(body)?.[1];
        return colored(numbersOf(diffuse, [1, 1, 1, 1]), {
          baseColorTexture: texture === undefined ? undefined : await this.#texture(texture, path),
        });
      }
    }
    this.#context.omissions.count('textures', name);
    this.#context.omissions.omit('textures', name, 'its material is not among the files');
    return undefined;
  }

  /** A script, or all scripts in a folder. */
  #materialFiles(uri: string, file: string): readonly string[] {
    const place = `${file} ${uri}`;
    const files = this.#scripts.get(place) ?? this.#findScripts(uri, file);
    this.#scripts.set(place, files);
    return files;
  }

  #findScripts(uri: string, file: string): readonly string[] {
    const { files } = this.#context;
    const found = files.locate(file, uri);
    const paths = 'path' in found ? [found.path] : 'folder' in found ? files.index.filesIn(found.folder) : [];
    return paths.filter((path) => path.endsWith('.material'));
  }

  #texture(name: string, from: string): Promise<Texture | undefined> {
    const { files, textures } = this.#context;
    const bases = from.endsWith('.material') ? materialTextureFolders(from) : undefined;
    return textures.loadReferenced(name, files.resolve(from, name, bases));
  }
}

function colored(rgba: readonly number[], more: Partial<Material> = {}): Material {
  const [red = 1, green = 1, blue = 1, alpha = 1] = rgba;
  return {
    ...DEFAULT_MATERIAL,
    baseColor: [srgbToLinear(red), srgbToLinear(green), srgbToLinear(blue), alpha],
    alphaMode: alpha < 0.999 ? 'blend' : 'opaque',
    ...more,
  };
}

/** The text between the braces of `material <name>`. */
function bodyOf(script: string, name: string): string | undefined {
  for (const { 1: found, index } of script.matchAll(/^[ \t]*material[ \t]+([^\s:{]+)/gm)) {
    if (found !== name) continue;
    let depth = 0;
    const start = script.indexOf('{', index);
    for (let at = start; at >= 0 && at < script.length; at++) {
      if (script[at] === '{') depth++;
      else if (script[at] === '}' && --depth === 0) return script.slice(start, at);
    }
  }
  return undefined;
}

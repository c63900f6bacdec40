import type { LoadContext } from '../context.ts';
import { decodeText } from '../files/text.ts';
import { srgbToLinear } from '../images/pixels.ts';
import { DEFAULT_MATERIAL, type Material } from '../model/scene.ts';
import { textureOf } from './materials.ts';

/** The materials of a Wavefront MTL file by name. */
export async function loadMtl(path: string, context: LoadContext): Promise<Map<string, Material>> {
  const text = decodeText(await context.files.read(path));
  const materials = new Map<string, Material>();
  for (const [name, statements] of parseMtl(text)) {
    materials.set(name, await toMaterial(statements, path, context));
  }
  return materials;
}

type Statements = Map<string, string>;

function parseMtl(text: string): Map<string, Statements> {
  const materials = new Map<string, Statements>();
  let current: Statements | undefined;
  for (const line of text.split('\n')) {
    const match = /^(\S+)\s+(\S.*)?$/.exec(line.trim());
    if (match === null) continue;
    const [keyword, rest] = [(match[1] as string).toLowerCase(), match[2] as string];
    if (keyword === 'newmtl') {
      current = new Map();
      materials.set(rest, current);
    } else current?.set(keyword, rest);
  }
  return materials;
}

async function toMaterial(
  statements: Statements,
  path: string,
  { files, textures }: LoadContext,
): Promise<Material> {
  const map = async (keyword: string) => {
    const reference = statements.get(keyword);
    if (reference === undefined) return undefined;
    const name = textureOf(reference);
    return textures.loadReferenced(name, files.resolve(path, name));
  };
  const baseColorTexture = await map('map_kd');
  const [red, green, blue] =
    numbers(statements.get('kd')) ?? (baseColorTexture ? [1, 1, 1] : [0.62, 0.63, 0.65]);
  const opacity = numbers(statements.get('d'))?.[0] ?? 1 - (numbers(statements.get('tr'))?.[0] ?? 0);
  const alpha = opacity > 0 ? Math.min(1, opacity) : 1;
  const shininess = numbers(statements.get('ns'))?.[0] ?? 60;
  const emissive = numbers(statements.get('ke')) ?? [0, 0, 0];
  const hasHoles = statements.has('map_d');
  return {
    ...DEFAULT_MATERIAL,
    baseColor: [
      srgbToLinear(red ?? 0),
      srgbToLinear(green ?? red ?? 0),
      srgbToLinear(blue ?? red ?? 0),
      alpha,
    ],
    baseColorTexture,
    metallic: numbers(statements.get('pm'))?.[0] ?? 0,
    roughness: numbers(statements.get('pr'))?.[0] ?? roughnessOf(shininess),
    emissive: [emissive[0] ?? 0, emissive[1] ?? 0, emissive[2] ?? 0],
    emissiveTexture: await map('map_ke'),
    alphaMode: alpha < 1 ? 'blend' : hasHoles ? 'mask' : 'opaque',
  };
}

/** The roughness whose GGX lobe is about as wide as Blinn's with this exponent: α² = 2 / (n + 2). */
export function roughnessOf(exponent: number): number {
  return Math.min(1, Math.max(0.2, (2 / (Math.max(0, exponent) + 2)) ** 0.25));
}

function numbers(text: string | undefined): number[] | undefined {
  const values = text?.split(/\s+/).map(Number).filter(Number.isFinite);
  return values === undefined || values.length === 0 ? undefined : values;
}

import { gunzipSync } from 'node:zlib';
import type { LoadContext } from '../context.ts';
import { asPlainText } from '../files/text.ts';
import type { FormatReader } from '../format.ts';
import { srgbToLinear } from '../images/pixels.ts';
import {
  IDENTITY,
  inverse,
  type Matrix4,
  multiply,
  rotation,
  scaling,
  translation,
} from '../model/matrix.ts';
import type { MeshFile } from '../model/mesh-file.ts';
import {
  DEFAULT_MATERIAL,
  type Geometry,
  type Instance,
  type Material,
  type PointCloud,
  plainMaterial,
} from '../model/scene.ts';
import { roughnessOf } from '../obj/mtl.ts';
import { toMessageText } from '../reading/asset-files.ts';
import { readable, Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { isSet, nodeIn, numberIn, numbersOf, valuesOf, vectorIn } from './fields.ts';
import { surfaceOf, type VrmlSurface } from './geometry.ts';
import { isVrmlNode, readVrml, type VrmlNode } from './nodes.ts';

/** Robots of OpenHRP and Choreonoid have Z up, and look along X. */
const ROBOT = 'Humanoid';
const ROBOT_UPRIGHT: Matrix4 = [0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1];

export const reader: FormatReader = { readMesh: loadVrml };

/** Loads a file of VRML 2, and those that it is put together of, with Y up. Scripts, sensors and animations have no effect. */
async function loadVrml(path: string, context: LoadContext): Promise<MeshFile> {
  const walk = new Walk(context);
  const nodes = readNodes(asPlainText(await context.files.read(path)), context.budget);
  for (const node of nodes) await walk.visit(node, path, IDENTITY, 0);
  return {
    instances: walk.instances,
    points: walk.points,
    isYUp: false,
    hasMaterials: walk.hasMaterials,
    ...(walk.hasRobot && { upright: ROBOT_UPRIGHT }),
  };
}

function readNodes(bytes: Uint8Array, budget: Budget): VrmlNode[] {
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? unpacked(bytes, budget) : bytes;
  return readable(() => readVrml(plain, () => budget.spend('nodes', 1)), 'the VRML file');
}

function unpacked(bytes: Uint8Array, budget: Budget): Uint8Array {
  try {
    const plain = gunzipSync(bytes, { maxOutputLength: budget.remaining('inputBytes') });
    budget.spend('inputBytes', plain.byteLength);
    return plain;
  } catch (error) {
    throw new Unrenderable('the VRML file cannot be decompressed', { cause: error });
  }
}

class Walk {
  readonly instances: Instance[] = [];
  readonly points: PointCloud[] = [];
  hasMaterials = false;
  hasRobot = false;
  readonly #context: LoadContext;
  readonly #surfaces = new Map<VrmlNode, VrmlSurface | undefined>();
  readonly #materials = new Map<VrmlNode, Promise<Material>>();
  readonly #parts = new Map<string, VrmlNode[]>();

  constructor(context: LoadContext) {
    this.#context = context;
  }

  async visit(node: VrmlNode, from: string, world: Matrix4, depth: number): Promise<void> {
    this.#context.budget.spend('nodes', 1);
    this.#context.budget.checkDepth(depth);
    this.hasRobot ||= node.prototype === ROBOT;
    switch (node.type) {
      case 'Shape':
        return this.#shape(node, from, world);
      case 'Inline':
        return this.#inline(node, from, world, depth);
      case 'Switch': {
        const [chosen] = valuesOf(node, 'choice')
          .filter(isVrmlNode)
          .slice(numberIn(node, 'whichChoice', 0));
        return chosen && this.visit(chosen, from, world, depth + 1);
      }
      case 'LOD': {
        const finest = nodeIn(node, 'level');
        return finest && this.visit(finest, from, world, depth + 1);
      }
      default: {
        const place = node.type === 'Transform' ? multiply(world, localMatrix(node)) : world;
        for (const child of valuesOf(node, 'children'))
          if (isVrmlNode(child)) await this.visit(child, from, place, depth + 1);
      }
    }
  }

  async #inline(node: VrmlNode, from: string, world: Matrix4, depth: number): Promise<void> {
    const { files, budget, omissions } = this.#context;
    const [url] = valuesOf(node, 'url');
    if (typeof url !== 'string') return;
    omissions.count('meshes', url);
    const path = files.resolve(from, url);
    try {
      if (path === undefined) throw new Unrenderable('no such file');
      const nodes = this.#parts.get(path) ?? readNodes(asPlainText(await files.read(path)), budget);
      this.#parts.set(path, nodes);
      for (const part of nodes) await this.visit(part, path, world, depth + 1);
    } catch (error) {
      if (!(error instanceof Unrenderable)) throw error;
      omissions.omit('meshes', url, error.message);
    }
  }

  async #shape(node: VrmlNode, from: string, world: Matrix4): Promise<void> {
    const { budget, omissions } = this.#context;
    const form = nodeIn(node, 'geometry');
    if (form === undefined) return;
    if (form.type === 'PointSet') this.#cloud(form, world);
    if (!this.#surfaces.has(form)) this.#surfaces.set(form, surfaceOf(form, budget));
    const surface = this.#surfaces.get(form);
    if (surface === undefined) {
      if (!UNSEEN.has(form.type)) return;
      omissions.count('meshes', form.type);
      omissions.omit('meshes', form.type, `${toMessageText(form.type)} is not drawn`);
      return;
    }
    const { geometry, transform } = surface;
    budget.spend('triangles', geometry.indices.length / 3);
    budget.spend('vertices', geometry.positions.length / 3);
    const look = nodeIn(node, 'appearance');
    const material = look && (await this.#material(look, from));
    this.hasMaterials ||= material !== undefined || geometry.colors !== undefined;
    this.instances.push({
      geometry: turnedPicture(geometry, nodeIn(look, 'textureTransform')),
      // Colours of the mesh take the place of that of the material.
      material:
        material && geometry.colors
          ? { ...material, baseColor: [1, 1, 1, 1] }
          : (material ?? plainMaterial(geometry)),
      transform: multiply(world, transform),
      names: [node.name ?? form.name ?? ''],
    });
  }

  #cloud(form: VrmlNode, transform: Matrix4): void {
    const positions = Float32Array.from(numbersOf(nodeIn(form, 'coord'), 'point'));
    this.#context.budget.spend('vertices', positions.length / 3);
    if (positions.length >= 3 && positions.every(Number.isFinite)) this.points.push({ positions, transform });
  }

  #material(look: VrmlNode, from: string): Promise<Material> {
    const material = this.#materials.get(look) ?? this.#readMaterial(look, from);
    this.#materials.set(look, material);
    return material;
  }

  async #readMaterial(look: VrmlNode, from: string): Promise<Material> {
    const { files, textures } = this.#context;
    const node = nodeIn(look, 'material');
    const picture = nodeIn(look, 'texture');
    const [url] = picture?.type === 'ImageTexture' ? valuesOf(picture, 'url') : [];
    const wrap = (field: string) => (isSet(picture, field) ? 'repeat' : 'clamp');
    const baseColorTexture =
      typeof url === 'string' && url !== ''
        ? await textures.loadReferenced(url, files.resolve(from, url), {
            wrapU: wrap('repeatS'),
            wrapV: wrap('repeatT'),
          })
        : undefined;
    const [red, green, blue] = baseColorTexture
      ? [1, 1, 1]
      : vectorIn(node, 'diffuseColor', [0.8, 0.8, 0.8] as const).map(srgbToLinear);
    const [glowRed, glowGreen, glowBlue] = vectorIn(node, 'emissiveColor', [0, 0, 0] as const);
    const opacity = 1 - numberIn(node, 'transparency', 0);
    const isClear = opacity > 0 && opacity < 1;
    const isShiny = vectorIn(node, 'specularColor', [0, 0, 0] as const).some((value) => value > 0);
    return {
      ...DEFAULT_MATERIAL,
      baseColor: [red ?? 1, green ?? 1, blue ?? 1, isClear ? opacity : 1],
      baseColorTexture,
      emissive: [srgbToLinear(glowRed), srgbToLinear(glowGreen), srgbToLinear(glowBlue)],
      roughness: isShiny ? roughnessOf(128 * numberIn(node, 'shininess', 0.2)) : DEFAULT_MATERIAL.roughness,
      alphaMode: isClear ? 'blend' : 'opaque',
    };
  }
}

/** Geometries that show something and are not drawn. */
const UNSEEN: ReadonlySet<string> = new Set(['Extrusion', 'IndexedLineSet', 'Text']);

/** VRML: T · C · R · SR · S · SR⁻¹ · C⁻¹ */
function localMatrix(node: VrmlNode): Matrix4 {
  const centre = translation(...vectorIn(node, 'center', [0, 0, 0] as const));
  const turn = (field: string) => {
    const [x, y, z, angle] = vectorIn(node, field, [0, 0, 1, 0] as const);
    return rotation([x, y, z], angle);
  };
  const along = turn('scaleOrientation');
  return [
    translation(...vectorIn(node, 'translation', [0, 0, 0] as const)),
    centre,
    turn('rotation'),
    along,
    scaling(...vectorIn(node, 'scale', [1, 1, 1] as const)),
    inverse(along),
    inverse(centre),
  ].reduce(multiply);
}

/** VRML: −C · S · R · C · T, of coordinates that count from the bottom. */
function turnedPicture(geometry: Geometry, node: VrmlNode | undefined): Geometry {
  if (node === undefined || geometry.uvs === undefined) return geometry;
  const [cx, cy] = vectorIn(node, 'center', [0, 0] as const);
  const [sx, sy] = vectorIn(node, 'scale', [1, 1] as const);
  const [tx, ty] = vectorIn(node, 'translation', [0, 0] as const);
  const matrix = [
    translation(-cx, -cy, 0),
    scaling(sx, sy, 1),
    rotation([0, 0, 1], numberIn(node, 'rotation', 0)),
    translation(cx + tx, cy + ty, 0),
  ].reduce(multiply);
  const uvs = new Float32Array(geometry.uvs.length);
  for (let at = 0; at + 1 < uvs.length; at += 2) {
    const [u, v] = [geometry.uvs[at] ?? 0, 1 - (geometry.uvs[at + 1] ?? 0)];
    uvs[at] = matrix[0] * u + matrix[4] * v + matrix[12];
    uvs[at + 1] = 1 - (matrix[1] * u + matrix[5] * v + matrix[13]);
  }
  return { ...geometry, uvs };
}

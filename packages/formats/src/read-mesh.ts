import { load3mf } from './3mf/read.ts';
import { loadCollada } from './collada/read.ts';
import type { LoadContext } from './context.ts';
import { loadFbx } from './fbx/read.ts';
import { loadGltf } from './gltf/read.ts';
import { type Matrix4, multiply } from './model/matrix.ts';
import {
  DEFAULT_MATERIAL,
  type Front,
  type Instance,
  type LineSet,
  type Motion,
  type PointCloud,
  plainMaterial,
  type Scene,
  type Surface,
} from './model/scene.ts';
import { loadObj } from './obj/read.ts';
import { loadOff } from './off/read.ts';
import { loadPcd } from './pcd/read.ts';
import { loadPly } from './ply/read.ts';
import { toMessageText } from './reading/asset-files.ts';
import { Unrenderable } from './reading/errors.ts';
import { type FormatName, formatOf } from './registry.ts';
import { loadStep } from './step/read.ts';
import { loadStl } from './stl/read.ts';
import { loadUsd } from './usd/read.ts';
import { loadVrml } from './vrml/read.ts';
import { loadPointLines } from './xyz/read.ts';

/** A mesh file by itself or as a part of a robot. */
export interface MeshFile {
  readonly instances: readonly Instance[];
  readonly points: readonly PointCloud[];
  readonly lines?: readonly LineSet[];
  /** The format prescribes that Y is up. */
  readonly isYUp: boolean;
  /** The rotation that stands the file upright if it is shown on its own; not applied to parts of a robot. */
  readonly upright?: Matrix4;
  readonly motion?: Motion | undefined;
  /** How many animations the file has, if that is known without reading them. */
  readonly animations?: number | undefined;
  /** The file has its own materials. */
  readonly hasMaterials: boolean;
}

/** Printers are looked at along Y. */
const FRONTS: Readonly<Record<string, Front>> = { '3mf': '-y' };

/** Loads an asset of kind `mesh`; `isMoving`: with its animations, if its format has some. */
export async function loadMesh(entry: string, context: LoadContext, isMoving = false): Promise<Scene> {
  if (isUsd(entry)) return loadUsd(entry, context);
  const file = await loadMeshFile(entry, context, false, isMoving);
  const { instances, points, lines = [], upright, motion, animations } = file;
  const standing = upright
    ? instances.map((instance) => ({ ...instance, transform: multiply(upright, instance.transform) }))
    : instances;
  const format = formatOf(extension(entry));
  const front = FRONTS[format?.name ?? ''];
  return {
    up: format?.up ?? 'y',
    ...(front && { front }),
    instances: standing,
    points,
    lines,
    ...(motion && { motion }),
    animations,
    unit: format?.isMetric ? 'm' : undefined,
  };
}

interface LoadOptions {
  /** Whether instances have their names. */
  readonly byObject: boolean;
  /** Whether animations are read. */
  readonly isMoving: boolean;
}

type Loader = (path: string, context: LoadContext, options: LoadOptions) => Promise<MeshFile>;

const LOADERS: Readonly<Partial<Record<FormatName, Loader>>> = {
  gltf: async (path, context) => ({ ...(await loadGltf(path, context)), isYUp: true, hasMaterials: true }),
  collada: async (path, context) => ({ ...(await loadCollada(path, context)), points: [], isYUp: false }),
  step: async (path, context) => ({ ...(await loadStep(path, context)), points: [], isYUp: false }),
  vrml: async (path, context) => ({ ...(await loadVrml(path, context)), isYUp: false }),
  '3mf': async (path, context) => ({ ...(await load3mf(path, context)), points: [], isYUp: false }),
  fbx: async (path, context, { isMoving }) => ({
    ...(await loadFbx(path, context, isMoving)),
    points: [],
    isYUp: true,
  }),
  async obj(path, context, { byObject }) {
    const instances = await loadObj(path, context, byObject);
    const hasMaterials = instances.some(
      ({ material, geometry }) => material !== DEFAULT_MATERIAL || geometry.colors !== undefined,
    );
    return { instances, points: [], isYUp: false, hasMaterials };
  },
  stl: async (path, context) => plain(loadStl(await context.files.read(path), context.budget)),
  ply: async (path, context) => ({ ...(await loadPly(path, context)), isYUp: false }),
  async off(path, context) {
    const instance = loadOff(await context.files.read(path), context.budget);
    const hasMaterials = instance.geometry.colors !== undefined;
    return { instances: [instance], points: [], isYUp: false, hasMaterials };
  },
  async usd(path, context) {
    const { up, instances, points, lines } = await loadUsd(path, context);
    return { instances, points, ...(lines && { lines }), isYUp: up === 'y', hasMaterials: true };
  },
  pcd: async (path, context) => cloud(loadPcd(await context.files.read(path), context.budget)),
  xyz: async (path, context) =>
    cloud(loadPointLines(await context.files.read(path), context.budget, extension(path) === 'pts')),
};

/**
 * Loads a mesh in any format, determined by the file's extension. `byObject`: its instances have their names; `isMoving`:
 * with its animations.
 */
export async function loadMeshFile(
  path: string,
  context: LoadContext,
  byObject = false,
  isMoving = false,
): Promise<MeshFile> {
  const format = formatOf(extension(path));
  const load = format && LOADERS[format.name];
  if (load === undefined)
    throw new Unrenderable(`meshes in ${toMessageText(extension(path) || path)} format are not drawn`);
  return load(path, context, { byObject, isMoving });
}

function plain({ geometry, transform }: Surface): MeshFile {
  return {
    instances: [{ geometry, material: plainMaterial(geometry), transform }],
    points: [],
    isYUp: false,
    // Robots give their meshes the colours that they want, whatever a program left in the file.
    hasMaterials: false,
  };
}

function cloud(points: PointCloud): MeshFile {
  return { instances: [], points: [points], isYUp: false, hasMaterials: true };
}

export function isUsd(path: string): boolean {
  return formatOf(extension(path))?.name === 'usd';
}

export function extension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : '';
}

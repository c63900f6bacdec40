import { Unrenderable } from '../errors.ts';
import { toMessageText } from '../files.ts';
import { type Matrix4, multiply } from '../matrix.ts';
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
} from '../scene.ts';
import { load3mf } from './3mf/3mf.ts';
import { loadCollada } from './collada/collada.ts';
import type { LoadContext } from './context.ts';
import { loadFbx } from './fbx/fbx.ts';
import { loadGltf } from './gltf/gltf.ts';
import { loadObj } from './obj.ts';
import { loadOff } from './off.ts';
import { loadPcd } from './pcd.ts';
import { loadPly } from './ply.ts';
import { loadPointLines } from './point-lines.ts';
import { loadStep } from './step.ts';
import { loadStl } from './stl.ts';
import { loadUsd } from './usd/usd.ts';
import { loadVrml } from './vrml/vrml.ts';

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

/** Formats of CAD, of 3D printing and of what sensors measure have Z up; others have Y up. */
const Z_UP_FORMATS = new Set(['stl', '3mf', 'step', 'stp', 'pcd', 'xyz', 'pts']);

/** Formats that say what a length of 1 is, which their loaders turn into metres. */
const METRIC_FORMATS = new Set(['glb', 'gltf', 'vrm', 'dae', 'fbx', '3mf', 'step', 'stp']);

/** Printers are looked at along Y. */
const FRONTS: Readonly<Record<string, Front>> = { '3mf': '-y' };

const USD = new Set(['usd', 'usda', 'usdc', 'usdz']);

const FORMATS = new Set([
  ...['glb', 'gltf', 'vrm', 'dae', 'obj', 'stl', 'ply', 'fbx', '3mf', 'wrl'],
  ...['off', 'pcd', 'xyz', 'pts', 'step', 'stp'],
]);

/** Loads an asset of kind `mesh`; `isMoving`: with its animations, if its format has some. */
export async function loadMesh(entry: string, context: LoadContext, isMoving = false): Promise<Scene> {
  const format = extension(entry);
  if (isUsd(entry)) return loadUsd(entry, context);
  if (!FORMATS.has(format))
    throw new Unrenderable(`no thumbnails for meshes in ${toMessageText(format || entry)} format`);
  const file = await loadMeshFile(entry, context, false, isMoving);
  const { instances, points, lines = [], upright, motion, animations } = file;
  const standing = upright
    ? instances.map((instance) => ({ ...instance, transform: multiply(upright, instance.transform) }))
    : instances;
  const front = FRONTS[format];
  return {
    up: Z_UP_FORMATS.has(format) ? 'z' : 'y',
    ...(front && { front }),
    instances: standing,
    points,
    lines,
    ...(motion && { motion }),
    animations,
    unit: METRIC_FORMATS.has(format) ? 'm' : undefined,
  };
}

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
  switch (extension(path)) {
    case 'glb':
    case 'gltf':
    case 'vrm':
      return { ...(await loadGltf(path, context)), isYUp: true, hasMaterials: true };
    case 'dae':
      return { ...(await loadCollada(path, context)), points: [], isYUp: false };
    case 'step':
    case 'stp':
      return { ...(await loadStep(path, context)), points: [], isYUp: false };
    case 'wrl':
      return { ...(await loadVrml(path, context)), isYUp: false };
    case '3mf':
      return { ...(await load3mf(path, context)), points: [], isYUp: false };
    case 'fbx':
      return { ...(await loadFbx(path, context, isMoving)), points: [], isYUp: true };
    case 'obj': {
      const instances = await loadObj(path, context, byObject);
      const hasMaterials = instances.some(
        ({ material, geometry }) => material !== DEFAULT_MATERIAL || geometry.colors !== undefined,
      );
      return { instances, points: [], isYUp: false, hasMaterials };
    }
    case 'stl':
      return plain(loadStl(await context.files.read(path), context.budget));
    case 'ply':
      return { ...(await loadPly(path, context)), isYUp: false };
    case 'off': {
      const instance = loadOff(await context.files.read(path), context.budget);
      const hasMaterials = instance.geometry.colors !== undefined;
      return { instances: [instance], points: [], isYUp: false, hasMaterials };
    }
    case 'usd':
    case 'usda':
    case 'usdc':
    case 'usdz': {
      const { up, instances, points, lines } = await loadUsd(path, context);
      return { instances, points, ...(lines && { lines }), isYUp: up === 'y', hasMaterials: true };
    }
    case 'pcd':
      return cloud(loadPcd(await context.files.read(path), context.budget));
    case 'xyz':
    case 'pts':
      return cloud(loadPointLines(await context.files.read(path), context.budget, extension(path) === 'pts'));
    default:
      throw new Unrenderable(`meshes in ${toMessageText(extension(path) || path)} format are not drawn`);
  }
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
  return USD.has(extension(path));
}

export function extension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : '';
}

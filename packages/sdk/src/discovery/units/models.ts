import type { FileFacts, FileType } from '../formats/format.ts';
import { hasAllPlanes } from '../formats/splat.ts';
import type { LibraryFiles } from '../graph/library-files.ts';

/** What a model describes: a robot or a world, a mesh, or a splat cloud. */
export type Family = 'robot' | 'mesh' | 'splat';

/** A file that can be the entry of an asset. */
export interface Model {
  readonly path: string;
  readonly facts: FileFacts;
  readonly family: Family;
}

const FAMILIES: Partial<Record<FileType, Family>> = {
  mjcf: 'robot',
  urdf: 'robot',
  xacro: 'robot',
  sdf: 'robot',
  gltf: 'mesh',
  usd: 'mesh',
  collada: 'mesh',
  obj: 'mesh',
  stl: 'mesh',
  ply: 'mesh',
  fbx: 'mesh',
  blend: 'mesh',
  splat: 'splat',
  sog: 'splat',
  lod: 'splat',
};

/** Returns the models of a library, in path order. */
export function findModels(files: LibraryFiles): Model[] {
  return modelsAmong(
    files,
    files.files.map(({ path }) => path),
  );
}

export function modelsAmong(files: LibraryFiles, paths: readonly string[]): Model[] {
  const models: Model[] = [];
  for (const path of paths) {
    const facts = files.factsOf(path);
    const family = facts && FAMILIES[facts.type];
    if (facts === undefined || family === undefined || facts.isPart) continue;
    if (facts.type === 'sog' && !hasAllPlanes(path, facts, (plane) => files.has(plane))) continue;
    models.push({ path, facts, family });
  }
  return models;
}

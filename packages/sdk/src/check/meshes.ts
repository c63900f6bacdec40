import { type CheckedMesh, extensionOf, formatOf, type ModelVerdict } from '@bindery/formats';
import { type Problem, problem } from '../curation/check-codes.ts';
import type { DiscoveredAsset } from '../discovery/discovered-library.ts';
import type { ListedFile } from '../discovery/file-reader.ts';
import type { DiscoveredFolder } from '../local-discovery/discover-library.ts';
import { placedProblem, type RobotMesh } from '../local-discovery/mesh-problems.ts';
import type { ModelChecks } from './models.ts';

/** What one task of a check reads at most, unless a single file is larger. */
const [MAX_FILES, MAX_BYTES] = [200, 64 * 2 ** 20];
/** Larger files are not read. */
const MAX_FILE_BYTES = 256 * 2 ** 20;

/** Has the meshes of a folder read as pictures read them; those that several assets have are read once. */
export class MeshReader {
  readonly #models: ModelChecks;
  readonly #found: DiscoveredFolder;
  readonly #verdicts = new Map<string, Promise<ModelVerdict>>();

  constructor(models: ModelChecks, found: DiscoveredFolder) {
    this.#models = models;
    this.#found = found;
  }

  /** Returns the problems of an asset's meshes; `placed` are those that its robots place. MuJoCo judges those of MJCF. */
  async examine(asset: DiscoveredAsset, placed: readonly RobotMesh[]): Promise<Problem[]> {
    const { id, kind, files } = asset;
    if (kind === 'mjcf') return [];
    const unread = new Set(this.#found.unread.get(id)?.map(({ file }) => file));
    const meshes = files.filter((file) => isMesh(file) && !unread.has(file.path));
    this.#read(
      meshes.filter(({ path }) => !this.#verdicts.has(path)),
      files,
    );
    const problems: Problem[] = [];
    const sides = new Map<string, CheckedMesh['sides']>();
    for (const { path } of meshes) {
      const verdict = (await this.#verdicts.get(path)) ?? { unfinished: 'was not read' };
      if ('unfinished' in verdict) {
        problems.push(problem('model-not-checked', id, verdict.unfinished, { file: path }));
        continue;
      }
      const mesh = verdict.meshes.find(({ file }) => file === path);
      sides.set(path, mesh?.sides);
      if (mesh?.problem === undefined) continue;
      const { message, severity } = mesh.problem;
      problems.push(problem('file-unreadable', id, message, { file: path }, severity));
    }
    const scaled = placed.flatMap((mesh) => placedProblem(id, mesh, sides.get(mesh.path) ?? []));
    return [...problems, ...scaled];
  }

  #read(meshes: readonly ListedFile[], files: readonly ListedFile[]): void {
    const sizes = new Map(files.map(({ path, size }) => [path, size]));
    const check = (meshes: readonly string[]) =>
      this.#models.check({ format: 'gltf', root: this.#found.root, sizes, entries: [], meshes });
    for (const group of grouped(meshes)) {
      const all = check(group);
      for (const path of group) {
        // One mesh that takes too long does not keep the others of its group from being judged.
        const own = all.then((verdict) =>
          'unfinished' in verdict && group.length > 1 ? check([path]) : verdict,
        );
        // Whoever waits for it gets the error, and nobody may.
        own.catch(() => undefined);
        this.#verdicts.set(path, own);
      }
    }
  }
}

function isMesh({ path, size }: ListedFile): boolean {
  const format = formatOf(extensionOf(path));
  const isShape = format?.family === 'mesh' || format?.family === 'points';
  // Files of CAD take long to read, and layers of USD show nothing by themselves.
  return isShape && !format.isSource && format.name !== 'usd' && size <= MAX_FILE_BYTES;
}

function grouped(files: readonly ListedFile[]): string[][] {
  const groups: string[][] = [];
  let room = 0;
  for (const { path, size } of files) {
    const last = groups.at(-1);
    if (last === undefined || last.length === MAX_FILES || size > room) {
      groups.push([path]);
      room = MAX_BYTES - size;
    } else {
      last.push(path);
      room -= size;
    }
  }
  return groups;
}

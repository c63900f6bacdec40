import { extensionOf, type FileToRead, formatOf, type ModelVerdict, type ReadFile } from '@bindery/formats';
import { type Problem, problem } from '../curation/check-codes.ts';
import type { DiscoveredAsset } from '../discovery/discovered-library.ts';
import type { ListedFile } from '../discovery/file-reader.ts';
import type { DiscoveredFolder } from '../local-discovery/discover-library.ts';
import { placedProblem, type RobotMesh } from '../local-discovery/mesh-problems.ts';
import { type ModelChecks, unreadProblems } from './models.ts';

/** What one task of a check reads at most, unless a single file is larger. */
const [MAX_FILES, MAX_BYTES] = [200, 64 * 2 ** 20];
/** Larger files are not read. */
const MAX_FILE_BYTES = 256 * 2 ** 20;

/** Has meshes, points and splats of a folder read as pictures read them; those that several assets have are read once. */
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
    const meshes = files.filter(
      (file) => kindOf(file, asset) !== undefined && file.size <= MAX_FILE_BYTES && !unread.has(file.path),
    );
    this.#read(
      meshes.filter(({ path }) => !this.#verdicts.has(path)),
      asset,
    );
    const problems: Problem[] = [];
    const sides = new Map<string, ReadFile['sides']>();
    for (const { path } of meshes) {
      const verdict = (await this.#verdicts.get(path)) ?? { unfinished: 'was not read' };
      if ('unfinished' in verdict) {
        problems.push(problem('model-not-checked', id, verdict.unfinished, { file: path }));
        continue;
      }
      const read = verdict.read.filter(({ file }) => file === path);
      sides.set(path, read[0]?.sides);
      problems.push(...unreadProblems(id, read));
    }
    const scaled = placed.flatMap((mesh) => placedProblem(id, mesh, sides.get(mesh.path) ?? []));
    return [...problems, ...scaled];
  }

  #read(meshes: readonly ListedFile[], asset: DiscoveredAsset): void {
    const sizes = new Map(asset.files.map(({ path, size }) => [path, size]));
    const check = (group: readonly ListedFile[]) => {
      const files = group.map((one): FileToRead => ({ file: one.path, kind: kindOf(one, asset) ?? 'mesh' }));
      return this.#models.check({ format: 'gltf', root: this.#found.root, sizes, entries: [], files });
    };
    for (const group of grouped(meshes)) {
      const all = check(group);
      for (const file of group) {
        // One mesh that takes too long does not keep the others of its group from being judged.
        const own = all.then((verdict) =>
          'unfinished' in verdict && group.length > 1 ? check([file]) : verdict,
        );
        // Whoever waits for it gets the error, and nobody may.
        own.catch(() => undefined);
        this.#verdicts.set(file.path, own);
      }
    }
  }
}

/** What a file is read as; undefined for one that holds nothing to show by itself, and for what robots are read from. */
function kindOf({ path }: ListedFile, { kind, entry }: DiscoveredAsset): 'mesh' | 'splat' | undefined {
  if (kind === 'splat' && path === entry) return kind;
  const { family, loadMechanismReader } = formatOf(extensionOf(path)) ?? {};
  if (family === 'splat') return family;
  // Layers of USD show nothing by themselves.
  return (family === 'mesh' || family === 'points') && !loadMechanismReader ? 'mesh' : undefined;
}

function grouped(files: readonly ListedFile[]): ListedFile[][] {
  const groups: ListedFile[][] = [];
  let room = 0;
  for (const file of files) {
    const { size } = file;
    const last = groups.at(-1);
    if (last === undefined || last.length === MAX_FILES || size > room) {
      groups.push([file]);
      room = MAX_BYTES - size;
    } else {
      last.push(file);
      room -= size;
    }
  }
  return groups;
}

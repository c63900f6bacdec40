import { extname } from 'node:path/posix';
import {
  ASSET_ID,
  type Manifest,
  type ManifestAsset,
  type ManifestFile,
  ROOT_FILES,
} from '@bindery/contract';
import { commonFolder } from '@bindery/formats/files/paths';

/** A change of a library's files, by their paths in the folder that was pushed; a folder's path ends with a slash. */
export type FileChange = ({ kind: 'put' } & ManifestFile) | { kind: 'delete'; path: string };

export interface ChangedManifest {
  manifest: Manifest;
  /** Platform artifacts that the changes put. */
  artifacts: ManifestFile[];
}

/**
 * Applies changes that come without a curation: files that are not named stay as they are. A new file belongs to the
 * asset in whose folder it is, the innermost if there are several; otherwise its top folder, or a file at the root by
 * itself, becomes an asset.
 */
export function changeManifest(before: Manifest, changes: readonly FileChange[]): ChangedManifest {
  const folder = new ChangedFolder(before.assets);
  const generated = new Set(before.generated);
  const artifacts = new Map<string, ManifestFile>();
  for (const change of changes) {
    const stored = folder.has(change.path) ? undefined : STORED_ROOT_FILES.get(change.path);
    if (stored === undefined) folder.change(change);
    else if (change.kind === 'delete') {
      generated.delete(stored);
      artifacts.delete(stored);
    } else {
      generated.add(stored);
      artifacts.set(stored, { path: stored, size: change.size, sha256: change.sha256 });
    }
  }
  const { assets } = folder;
  const left = assets.filter(({ files }) => files.size > 0);
  const manifest: Manifest = { ...before, assets: left.map((asset) => asset.written()) };
  for (const { before: removed } of assets.filter(({ files }) => files.size === 0)) {
    if (removed.thumbnail !== undefined) generated.delete(removed.thumbnail);
  }
  return {
    manifest:
      generated.size > 0 || before.generated ? { ...manifest, generated: [...generated].sort() } : manifest,
    artifacts: [...artifacts.values()],
  };
}

/** Where a README or curation at the root is kept. */
const STORED_ROOT_FILES = new Map([...ROOT_FILES].map(([stored, shown]) => [shown, stored]));

/** The assets and their files by path: a change takes as many steps as its path has segments. */
class ChangedFolder {
  readonly assets: ChangedAsset[] = [];
  /** The assets that have a file. */
  readonly #owners: Place<ChangedAsset[]> = {};
  /** The first asset with this folder; it stays when its files are deleted. */
  readonly #folders: Place<ChangedAsset> = {};
  readonly #ids = new Set<string>();
  /** The number that the next id after a name may have, by the name. */
  readonly #numbers = new Map<string, number>();

  constructor(assets: readonly ManifestAsset[]) {
    for (const before of assets) {
      const paths = before.files.map(({ path }) => path);
      const asset = this.#add(new ChangedAsset(before, commonFolder(paths)));
      for (const path of paths) ownersAt(this.#owners, path).push(asset);
    }
  }

  has(path: string): boolean {
    return (findPlace(this.#owners, path)?.value ?? []).length > 0;
  }

  change(change: FileChange): void {
    if (change.kind === 'delete') {
      if (change.path.endsWith('/')) this.#deleteFolder(change.path);
      else this.#deleteFile(change.path, findPlace(this.#owners, change.path));
      return;
    }
    const { kind: _, ...file } = change;
    const owners = ownersAt(this.#owners, file.path);
    if (owners.length === 0) owners.push(this.#ownerOf(file.path));
    for (const { files } of owners) files.set(file.path, file);
  }

  /** Returns the asset whose folder is the innermost around a path, or one that is made for it. */
  #ownerOf(path: string): ChangedAsset {
    let innermost: ChangedAsset | undefined;
    let place: Place<ChangedAsset> | undefined = this.#folders;
    for (const segment of path.split('/').slice(0, -1)) {
      place = place?.below?.get(segment);
      innermost = place?.value ?? innermost;
    }
    const folder = path.slice(0, path.indexOf('/') + 1);
    return innermost ?? this.#add(new ChangedAsset({ id: this.#freeId(path), files: [] }, folder));
  }

  #add(asset: ChangedAsset): ChangedAsset {
    this.assets.push(asset);
    this.#ids.add(asset.before.id);
    if (asset.folder !== '') makePlace(this.#folders, asset.folder.slice(0, -1)).value ??= asset;
    return asset;
  }

  #deleteFile(path: string, place: Place<ChangedAsset[]> | undefined): void {
    for (const { files } of place?.value ?? []) files.delete(path);
    delete place?.value;
  }

  #deleteFolder(path: string): void {
    const folder = findPlace(this.#owners, path.slice(0, -1));
    if (folder === undefined) return;
    const left = [{ path, below: folder.below }];
    delete folder.below;
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      for (const [name, place] of next.below ?? []) {
        this.#deleteFile(next.path + name, place);
        left.push({ path: `${next.path}${name}/`, below: place.below });
      }
    }
  }

  /** Returns an id after the top folder of a path, or after a file at the root. */
  #freeId(path: string): string {
    const [top = ''] = path.split('/', 1);
    const name = (path.includes('/') ? top : top.slice(0, top.length - extname(top).length))
      .replace(/[^a-zA-Z0-9._-]/g, '-')
      .replace(/^[^a-zA-Z0-9]+/, '')
      .slice(0, 100);
    const base = ASSET_ID.pattern.test(name) ? name : 'asset';
    if (!this.#ids.has(base)) return base;
    let number = this.#numbers.get(base) ?? 2;
    while (this.#ids.has(`${base}-${number}`)) number++;
    this.#numbers.set(base, number);
    return `${base}-${number}`;
  }
}

/** What is at a path, and what is below it by the next segment of the path. */
interface Place<Value> {
  value?: Value;
  below?: Map<string, Place<Value>>;
}

function findPlace<Value>(root: Place<Value>, path: string): Place<Value> | undefined {
  let place: Place<Value> | undefined = root;
  for (const segment of path.split('/')) place = place?.below?.get(segment);
  return place;
}

function makePlace<Value>(root: Place<Value>, path: string): Place<Value> {
  let place = root;
  for (const segment of path.split('/')) {
    place.below ??= new Map();
    const next: Place<Value> = place.below.get(segment) ?? {};
    place.below.set(segment, next);
    place = next;
  }
  return place;
}

function ownersAt(root: Place<ChangedAsset[]>, path: string): ChangedAsset[] {
  const place = makePlace(root, path);
  place.value ??= [];
  return place.value;
}

/** Files by which others know what an asset is, by extension: its kind. */
const KINDS: Record<string, string> = { '.urdf': 'urdf', '.sdf': 'sdf', '.glb': 'gltf', '.gltf': 'gltf' };

class ChangedAsset {
  readonly before: ManifestAsset;
  readonly files: Map<string, ManifestFile>;
  /** Where its files are, with a slash at the end; empty if some are at the root. */
  readonly folder: string;

  constructor(asset: ManifestAsset, folder: string) {
    this.before = asset;
    this.files = new Map(asset.files.map((file) => [file.path, file]));
    this.folder = folder;
  }

  /** What a removed file was to the asset goes with it. A new asset's entry is its one file of a known kind. */
  written(): ManifestAsset {
    const { entry, thumbnail, entryPoints, ...rest } = this.before;
    const isLeft = (path: string | undefined) =>
      path !== undefined && (this.files.has(path) || path.startsWith('.bindery/'));
    const points = Object.entries(entryPoints ?? {}).filter(([, { file }]) => isLeft(file));
    const isNew = this.before.files.length === 0;
    return {
      ...rest,
      ...(isLeft(entry) ? { entry } : {}),
      ...(isLeft(thumbnail) ? { thumbnail } : {}),
      ...(points.length > 0 ? { entryPoints: Object.fromEntries(points) } : {}),
      ...(isNew ? entryOf([...this.files.keys()]) : {}),
      files: [...this.files.values()],
    };
  }
}

function entryOf(paths: readonly string[]): { entry?: string; kind?: string } {
  const known = paths.filter((path) => extname(path).toLowerCase() in KINDS);
  const [entry] = known;
  if (entry === undefined || known.length > 1) return {};
  const kind = KINDS[extname(entry).toLowerCase()];
  return kind === undefined ? {} : { entry, kind };
}

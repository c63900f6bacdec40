import { extname } from 'node:path/posix';
import {
  ASSET_ID,
  type Manifest,
  type ManifestAsset,
  type ManifestFile,
  ROOT_FILES,
} from '@bindery/contract';

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
  const assets = before.assets.map((asset) => new ChangedAsset(asset));
  const generated = new Set(before.generated);
  const artifacts = new Map<string, ManifestFile>();
  for (const change of changes) {
    const stored = storedRootPath(assets, change.path);
    if (stored === null) changeFiles(assets, change);
    else if (change.kind === 'delete') {
      generated.delete(stored);
      artifacts.delete(stored);
    } else {
      generated.add(stored);
      artifacts.set(stored, { path: stored, size: change.size, sha256: change.sha256 });
    }
  }
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

/** Returns where a README or curation at the root is kept; null for files of assets. */
function storedRootPath(assets: readonly ChangedAsset[], path: string): string | null {
  if (assets.some(({ files }) => files.has(path))) return null;
  return [...ROOT_FILES].find(([, shown]) => shown === path)?.[0] ?? null;
}

function changeFiles(assets: ChangedAsset[], change: FileChange): void {
  if (change.kind === 'delete') {
    for (const { files } of assets) {
      for (const path of files.keys()) if (isAt(path, change.path)) files.delete(path);
    }
    return;
  }
  const { kind: _, ...file } = change;
  const owners = assets.filter(({ files }) => files.has(file.path));
  if (owners.length === 0) owners.push(ownerOf(assets, file.path));
  for (const { files } of owners) files.set(file.path, file);
}

function isAt(path: string, deleted: string): boolean {
  return deleted.endsWith('/') ? path.startsWith(deleted) : path === deleted;
}

function ownerOf(assets: ChangedAsset[], path: string): ChangedAsset {
  const around = assets.filter(({ folder }) => folder !== '' && path.startsWith(folder));
  const [innermost] = around.toSorted((one, other) => other.folder.length - one.folder.length);
  if (innermost) return innermost;
  const added = new ChangedAsset({ id: freeId(assets, path), files: [] });
  const slash = path.indexOf('/');
  added.folder = slash < 0 ? '' : path.slice(0, slash + 1);
  assets.push(added);
  return added;
}

/** Returns an id after the top folder of a path, or after a file at the root. */
function freeId(assets: readonly ChangedAsset[], path: string): string {
  const [top = ''] = path.split('/', 1);
  const name = (path.includes('/') ? top : top.slice(0, top.length - extname(top).length))
    .replace(/[^a-zA-Z0-9._-]/g, '-')
    .replace(/^[^a-zA-Z0-9]+/, '')
    .slice(0, 100);
  const base = ASSET_ID.pattern.test(name) ? name : 'asset';
  const taken = new Set(assets.map(({ before }) => before.id));
  let id = base;
  for (let number = 2; taken.has(id); number++) id = `${base}-${number}`;
  return id;
}

/** Files by which others know what an asset is, by extension: its kind. */
const KINDS: Record<string, string> = { '.urdf': 'urdf', '.sdf': 'sdf', '.glb': 'gltf', '.gltf': 'gltf' };

class ChangedAsset {
  readonly before: ManifestAsset;
  readonly files: Map<string, ManifestFile>;
  /** Where its files are, with a slash at the end; empty if some are at the root. */
  folder: string;

  constructor(asset: ManifestAsset) {
    this.before = asset;
    this.files = new Map(asset.files.map((file) => [file.path, file]));
    this.folder = commonFolder([...this.files.keys()]);
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

function commonFolder(paths: readonly string[]): string {
  const [first = ''] = paths;
  let folder = first.slice(0, first.lastIndexOf('/') + 1);
  while (!paths.every((path) => path.startsWith(folder))) {
    folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1);
  }
  return folder;
}

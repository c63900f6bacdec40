import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import {
  expandXacro,
  extensionOf,
  imageSize,
  isPicture,
  macroFiles,
  meshDamage,
  UnreadableFileError,
  writeExpanded,
} from '@bindery/formats';
import { type Problem, problem } from '../curation/check-codes.ts';
import type { DiscoveredAsset } from '../discovery/discovered-library.ts';
import { SLOW_WORDS } from '../discovery/file-reader.ts';
import { readPart } from '../tree/files.ts';
import { readIn } from './facts-cache.ts';
import { checkMeshScale } from './mesh-problems.ts';
import { checkPhysics } from './physics-problems.ts';

const MAX_TEXTURE_SIDE = 8_192;
const MAX_MESH_BYTES = 256 * 1024 * 1024;
const MESHES: ReadonlySet<string> = new Set([
  'stl',
  'obj',
  'ply',
  'glb',
  'vrm',
  'dae',
  'fbx',
  '3mf',
  'wrl',
  'off',
  'pcd',
]);
const PICTURE_HEAD = 64 * 1024;
const PICTURES: ReadonlySet<string> = new Set(['png', 'jpg', 'jpeg', 'tga', 'dds', 'ktx2', 'exr', 'hdr']);

/** Why meshes show nothing, by their place: assets can share them. */
const damages = new Map<string, string | undefined>();

/** Checks what is in the files of an asset. Those that are `unread` already have their problem. */
export function fileProblems(asset: DiscoveredAsset, root: string, unreadable: readonly string[]): Problem[] {
  const { id, files } = asset;
  const unread = new Set(unreadable);
  const problems: Problem[] = [];
  const { during = (_, work) => work() } = readIn(root);
  const read = (path: string) => new Uint8Array(readFileSync(join(root, path)));
  for (const { path, size } of files) {
    if (isDescription(asset, path)) {
      try {
        problems.push(...during(path, () => descriptionProblems(asset, path, read)));
      } catch (error) {
        // Other unreadable files have been reported already.
        if (!unread.has(path) && isSlow(error))
          problems.push(problem('read-timeout', id, SLOW_WORDS, { file: path }));
      }
    }
    const place = join(root, path);
    if (!damages.has(place)) {
      const damaged = () => during(path, () => damageOf(path, size, read));
      damages.set(place, unread.has(path) ? undefined : messageOf(damaged));
    }
    const damage = damages.get(place);
    if (damage !== undefined)
      problems.push(
        problem(damage === SLOW_WORDS ? 'read-timeout' : 'file-unreadable', id, damage, { file: path }),
      );
    if (!PICTURES.has(extensionOf(path))) continue;
    const head = readPart(join(root, path), 0, PICTURE_HEAD);
    if (!isPicture(head) && !unread.has(path))
      problems.push(problem('file-unreadable', id, 'is not a picture', { file: path }));
    const pixels = imageSize(head);
    if (pixels !== undefined && Math.max(pixels.width, pixels.height) > MAX_TEXTURE_SIDE) {
      const words = `${pixels.width} × ${pixels.height} pixels, which many viewers cannot load`;
      problems.push(problem('texture-too-large', id, words, { file: path }));
    }
  }
  return [...problems, ...duplicates(id, files, root)];
}

/** Checks a robot's description; one in macros as what they expand to, with the places that these were written in. */
function descriptionProblems(
  asset: DiscoveredAsset,
  path: string,
  read: (path: string) => Uint8Array,
): Problem[] {
  const bytes = read(path);
  const check = (content: Uint8Array) => [
    ...checkPhysics(asset.id, path, content),
    ...checkMeshScale(asset, path, content, read),
  ];
  if (extensionOf(path) !== 'xacro') return check(bytes);
  const paths = asset.files.map((file) => file.path);
  const { text, places } = writeExpanded(expandXacro(path, macroFiles(paths, read)).root);
  return check(new TextEncoder().encode(text)).map((one) => ({
    ...one,
    ...(one.line === null ? {} : places[one.line - 1]),
  }));
}

/** Returns why a mesh shows nothing; undefined for one that is sound, and for other files. */
function damageOf(path: string, size: number, read: (path: string) => Uint8Array): string | undefined {
  if (size > MAX_MESH_BYTES || !MESHES.has(extensionOf(path))) return undefined;
  return meshDamage(path, read(path), (deflated, bytes) =>
    inflateSync(deflated, { maxOutputLength: Math.max(1, bytes) }),
  );
}

function isSlow(error: unknown): boolean {
  return error instanceof UnreadableFileError && error.message === SLOW_WORDS;
}

/** What a check of a file says, or why the file cannot be read. */
function messageOf(check: () => string | undefined): string | undefined {
  try {
    return check();
  } catch (error) {
    if (error instanceof UnreadableFileError) return error.message;
    throw error;
  }
}

/** Whether a file is a robot description: by its extension, or because the asset opens it, whatever its name. */
function isDescription({ kind, entry, entryPoints = {} }: DiscoveredAsset, path: string): boolean {
  if (/^(?:urdf|sdf|world)$/.test(extensionOf(path))) return true;
  if (kind !== 'urdf' && kind !== 'sdf') return false;
  return path === entry || Object.values(entryPoints).some(({ file }) => file === path);
}

/** Hashes only files that share their size; no others can be equal. */
function duplicates(id: string, files: DiscoveredAsset['files'], root: string): Problem[] {
  const problems: Problem[] = [];
  for (const [size, same] of Map.groupBy(files, (file) => file.size)) {
    if (size === 0 || same.length < 2) continue;
    const first = new Map<string, string>();
    for (const { path } of same) {
      const digest = createHash('sha256')
        .update(readFileSync(join(root, path)))
        .digest('hex');
      const other = first.get(digest);
      if (other === undefined) first.set(digest, path);
      else problems.push(problem('duplicate-files', id, `has the same content as ${other}`, { file: path }));
    }
  }
  return problems;
}

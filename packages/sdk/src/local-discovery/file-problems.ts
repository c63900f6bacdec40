import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  expandXacro,
  extensionOf,
  extensionsOfFamilies,
  imageSize,
  isPicture,
  macroFiles,
  UnreadableFileError,
  writeExpanded,
} from '@bindery/formats';
import { viewOf } from '@bindery/formats/files/bytes';
import { type Problem, problem } from '../curation/check-codes.ts';
import type { DiscoveredAsset } from '../discovery/discovered-library.ts';
import { SLOW_WORDS } from '../discovery/file-reader.ts';
import { readPart } from '../tree/files.ts';
import { readIn } from './facts-cache.ts';
import { findMeshes, type RobotMesh } from './mesh-problems.ts';

const MAX_TEXTURE_SIDE = 8_192;
const PICTURE_HEAD = 64 * 1024;
const PICTURES: ReadonlySet<string> = new Set(extensionsOfFamilies('image'));

/** What was found in the files of an asset, and the meshes that its robots place, which are to be read. */
interface FileFindings {
  problems: Problem[];
  placed: RobotMesh[];
}

/** Checks what is in the files of an asset. Those that are `unread` already have their problem. */
export function checkFiles(
  asset: DiscoveredAsset,
  root: string,
  unreadable: readonly string[],
): FileFindings {
  const { id, files } = asset;
  const unread = new Set(unreadable);
  const problems: Problem[] = [];
  const placed: RobotMesh[] = [];
  const { during = (_, work) => work() } = readIn(root);
  const read = (path: string) => new Uint8Array(readFileSync(join(root, path)));
  for (const { path, size } of files) {
    if (isDescription(asset, path)) {
      try {
        const found = during(path, () => descriptionFindings(asset, path, read));
        problems.push(...found.problems);
        placed.push(...found.placed);
      } catch (error) {
        // Other unreadable files have been reported already.
        if (!unread.has(path) && isSlow(error))
          problems.push(problem('read-timeout', id, SLOW_WORDS, { file: path }));
      }
    }
    if (!PICTURES.has(extensionOf(path))) continue;
    const head = readPart(join(root, path), 0, PICTURE_HEAD);
    if (!isPicture(head) && !unread.has(path))
      problems.push(problem('file-unreadable', id, 'is not a picture', { file: path }));
    else if (extensionOf(path) === 'png' && isCutPng(join(root, path), size))
      problems.push(problem('file-unreadable', id, 'is cut off', { file: path }));
    const pixels = imageSize(head);
    if (pixels !== undefined && Math.max(pixels.width, pixels.height) > MAX_TEXTURE_SIDE) {
      const words = `${pixels.width} × ${pixels.height} pixels, which many viewers cannot load`;
      problems.push(problem('texture-too-large', id, words, { file: path }));
    }
  }
  return { problems: [...problems, ...duplicates(id, files, root)], placed };
}

/** Checks a robot's description; one in macros as what they expand to, with the places that these were written in. */
function descriptionFindings(
  asset: DiscoveredAsset,
  path: string,
  read: (path: string) => Uint8Array,
): FileFindings {
  const bytes = read(path);
  const check = (content: Uint8Array): FileFindings => findMeshes(asset, path, content);
  if (extensionOf(path) !== 'xacro') return check(bytes);
  const paths = asset.files.map((file) => file.path);
  const { text, places } = writeExpanded(expandXacro(path, macroFiles(paths, read)).root);
  const { problems, placed } = check(new TextEncoder().encode(text));
  const written = <At extends { line: number | null }>(one: At): At => ({
    ...one,
    ...(one.line === null ? {} : places[one.line - 1]),
  });
  return { problems: problems.map(written), placed: placed.map(written) };
}

const PNG = 0x89504e47;
const LAST_CHUNK = 0x49454e44;
/** Larger files are not read for what follows their last chunk. */
const MAX_WALKED = 256 * 2 ** 20;

/** Whether a PNG ends before its last chunk, which is at its end in nearly all of them. */
function isCutPng(file: string, size: number): boolean {
  const end = readPart(file, Math.max(0, size - 12), 12);
  if (end.length === 12 && viewOf(end).getUint32(4) === LAST_CHUNK) return false;
  const start = readPart(file, 0, 8);
  if (start.length < 8 || viewOf(start).getUint32(0) !== PNG || size > MAX_WALKED) return false;
  const png = viewOf(readFileSync(file));
  for (let at = 8; at + 12 <= png.byteLength; at += 12 + png.getUint32(at))
    if (png.getUint32(at + 4) === LAST_CHUNK) return false;
  return true;
}

function isSlow(error: unknown): boolean {
  return error instanceof UnreadableFileError && error.message === SLOW_WORDS;
}

/** Whether a file is a robot description: by its extension, or because the asset opens it, whatever its name. */
export function isDescription({ kind, entry, entryPoints = {} }: DiscoveredAsset, path: string): boolean {
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

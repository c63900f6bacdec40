import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest, ManifestAsset } from '@bindery/contract';
import { ConflictError } from '../failures.ts';
import { writeWhole } from '../place/placer.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import { CREDITS_FILES, documentTime, PAGE_MARK } from '../tree/scan.ts';
import { type CreditedRevision, type Credits, creditsOf } from './credits.ts';
import { creditsAsMarkdown } from './markdown.ts';
import { creditsAsSpdx } from './spdx-document.ts';

export { creditedRevision } from './credits.ts';

const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

export interface CreditsOptions {
  /** Version of the tool that writes them. */
  version: string;
  /**
   * Creation time in the document, ISO 8601. By default when the newest of the credited revisions was published. If
   * that is not known, the time of the existing document if it has the same contents, else now.
   */
  created?: string | undefined;
}

/** Assets of a library that a folder holds. */
export interface FolderAssets {
  revision: CreditedRevision;
  manifest: Manifest;
  assets: readonly ManifestAsset[];
}

export interface WrittenCredits {
  /** Paths of the page and of the SPDX document. */
  files: string[];
  /** `ns/name/asset` of the assets without a stated licence. */
  unlicensed: string[];
}

/**
 * Throws `ConflictError` if a folder has files with these names that Bindery did not write, or will have them at one of
 * `paths`.
 */
export function refuseForeignCredits(folder: GuardedFolder, paths: Iterable<string>): void {
  const { page, document } = CREDITS_FILES;
  const folded = [page.toLowerCase(), document.toLowerCase()];
  for (const path of paths) {
    if (!folded.includes(path.split('/', 1).join('').toLowerCase())) continue;
    throw new ConflictError(`The library has a ${path} of its own, which credits would overwrite.`, [path], {
      code: 'foreign_credits',
    });
  }
  const pageText = read(folder, page);
  if (pageText !== null && !pageText.startsWith(PAGE_MARK)) throw foreignFileError(page);
  const documentText = read(folder, document);
  if (documentText !== null && documentTime(documentText) === null) throw foreignFileError(document);
}

/** Writes the credits of the assets in a folder, each file atomically and only if its text has changed. */
export function writeCredits(
  folder: GuardedFolder,
  held: readonly FolderAssets[],
  options: CreditsOptions,
): WrittenCredits {
  const libraries = held.map(({ revision, manifest, assets }) => creditsOf(revision, manifest, assets));
  const { page, document } = CREDITS_FILES;
  writeIfChanged(folder, page, PAGE_MARK + creditsAsMarkdown(libraries));
  writeIfChanged(folder, document, documentText(libraries, options, read(folder, document)));
  return {
    files: [join(folder.root, page), join(folder.root, document)],
    unlicensed: libraries.flatMap(({ library, assets }) =>
      assets.filter(({ license }) => license.kind === 'unknown').map(({ id }) => `${library}/${id}`),
    ),
  };
}

function documentText(
  libraries: readonly Credits[],
  { version, created }: CreditsOptions,
  before: string | null,
): string {
  const textOf = (time: string) =>
    `${JSON.stringify(creditsAsSpdx(libraries, { version, created: time }), null, 2)}\n`;
  const time = created ?? publishedAt(libraries);
  if (time !== null) return textOf(time);
  const kept = before === null ? null : documentTime(before);
  return kept !== null && textOf(kept) === before ? before : textOf(new Date().toISOString());
}

/** Returns when the newest of the revisions was published; null if that is not known of all. */
function publishedAt(libraries: readonly Credits[]): string | null {
  const times = libraries.map((credits) => credits.publishedAt);
  return times.includes(null) ? null : (times.sort().at(-1) ?? null);
}

function writeIfChanged(folder: GuardedFolder, path: string, text: string): void {
  if (read(folder, path) === text) return;
  const content = Buffer.from(text);
  const file = { path, size: content.length, sha256: hash('sha256', content) };
  writeWhole(file, content, folder);
}

/** Returns null if nothing is there. Throws `ConflictError` for anything but a regular file. */
function read(folder: GuardedFolder, name: string): string | null {
  const found = folder.lstat(name);
  if (found === null) return null;
  if (!found.isFile()) throw foreignFileError(name);
  const descriptor = openSync(join(folder.root, name), READ_ONLY);
  try {
    if (!fstatSync(descriptor).isFile()) throw foreignFileError(name);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function foreignFileError(name: string): ConflictError {
  return new ConflictError(
    `The ${name} of this folder was not written by Bindery; move it away and try again.`,
    [name],
  );
}

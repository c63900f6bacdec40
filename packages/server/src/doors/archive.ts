import { dirname } from 'node:path/posix';
import { Readable } from 'node:stream';
import { makeZip, predictLength } from 'client-zip';
import type { MaintenanceContext } from '../context.ts';
import { ServiceError } from '../errors.ts';
import type { ClosureFile } from '../revision/file-closure.ts';
import { type DoorRevision, missingAtDoor } from './revision.ts';

/** A file of an archive: one of the library, or bytes that are made for the archive. */
export type ArchivedFile = { name: string; file: ClosureFile } | { name: string; bytes: Buffer };

/** A file of an archive, or one that is read from elsewhere, such as what an asset was converted to. */
export type BundledFile = ArchivedFile | { name: string; made: Archive };

/** A file, or a folder, whose name ends with a slash. */
export type ArchiveEntry = BundledFile | { name: `${string}/` };

/** The most files of an archive: the description of each is in memory until the archive has been sent. */
const MAX_ENTRIES = 100_000;

/** Objects of up to this many bytes are read and verified whole, larger ones streamed. */
const READ_WHOLE = 4 * 1024 * 1024;

/** A ZIP archive of a revision's files, not compressed, so that its length is known; it differs only if they do. */
export interface Archive {
  bytes: number;
  open(): Readable;
}

/** Throws `payload_too_large`. */
export function archiveOf(
  { objects }: Pick<MaintenanceContext, 'objects'>,
  { row }: Pick<DoorRevision, 'row'>,
  entries: readonly ArchiveEntry[],
): Archive {
  if (entries.length > MAX_ENTRIES) {
    const message = `The asset has more than ${MAX_ENTRIES} files. Pull it, or read its files one by one.`;
    throw new ServiceError('payload_too_large', message);
  }
  const lastModified = new Date(row.updated_at);
  const described = entries.map((entry) => {
    const { name } = entry;
    return isFile(entry) ? { name, lastModified, size: sizeOf(entry) } : { name, lastModified };
  });
  return {
    bytes: Number(predictLength(described)),
    open: () => Readable.from(makeZip(contents()) as AsyncIterable<Uint8Array>, { objectMode: false }),
  };

  async function* contents() {
    for (const entry of entries) {
      const described = { name: entry.name, lastModified };
      yield isFile(entry) ? { ...described, input: await inputOf(entry) } : described;
    }
  }

  async function inputOf(entry: BundledFile): Promise<Buffer | Readable> {
    if ('bytes' in entry) return entry.bytes;
    if ('made' in entry) return entry.made.open();
    const object = { storeId: row.store_id, sha256: entry.file.sha256 };
    return entry.file.size <= READ_WHOLE ? objects.read(object) : objects.stream(object);
  }
}

function isFile(entry: ArchiveEntry): entry is BundledFile {
  return !entry.name.endsWith('/');
}

export function sizeOf(entry: BundledFile): number {
  if ('bytes' in entry) return entry.bytes.length;
  return 'made' in entry ? entry.made.bytes : entry.file.size;
}

/** An asset of a revision by which an archive is named, and the kind of archive. */
export interface AssetArchive {
  number: number;
  format: 'zip' | 'mjz';
}

/** Returns what `<asset id>.zip` or `<asset id>.mjz` at the root of a revision names; null if it is not an archive. */
export function findArchive({ index }: DoorRevision, path: string | null): AssetArchive | null {
  const [, id = '', format] = /^([^/]+)\.(zip|mjz)$/.exec(path ?? '') ?? [];
  const number = id === '' || index.findFile(path ?? '') !== null ? -1 : index.indexOfAsset(id);
  return number < 0 ? null : { number, format: format === 'mjz' ? 'mjz' : 'zip' };
}

/** What programs that look at the ending of an address open. */
const CONVERTED = { usdz: { as: 'usd', own: 'usd' }, mjz: { as: 'mjz', own: 'mjcf' } } as const;

/**
 * Returns the asset that `<asset id>.usdz` or `<asset id>.mjz` at the root of a revision names, and what it is converted to; null for
 * one that is of this kind itself.
 */
export function findConverted(
  { index }: DoorRevision,
  path: string | null,
): { number: number; as: 'usd' | 'mjz' } | null {
  const [, id = '', ending] = /^([^/]+)\.(usdz|mjz)$/.exec(path ?? '') ?? [];
  const number = id === '' || index.findFile(path ?? '') !== null ? -1 : index.indexOfAsset(id);
  if (number < 0) return null;
  const { as, own } = CONVERTED[ending === 'mjz' ? 'mjz' : 'usdz'];
  return index.card(number).kind === own ? null : { number, as };
}

/** Returns the files of an asset's archive: in a ZIP where they are in the library. Throws `not_found`. */
export function archiveEntries(revision: DoorRevision, { number, format }: AssetArchive): ArchivedFile[] {
  const { index } = revision;
  const files = Array.from(index.filesOf(number), (place) => index.files.at(place));
  if (format === 'zip') return files.map((file) => ({ name: file.path, file }));
  const { kind, entry, assetId } = index.card(number);
  if (kind !== 'mjcf' || entry === null)
    throw missingAtDoor('asset', 'This asset names no model in MJCF, so it has no .mjz.');
  return mjzEntries(files, entry, assetId);
}

/**
 * The folder of the model becomes the root, since references are relative to it, and the model is there under a name that
 * MuJoCo looks for: `model.xml`, or if that is another file, the name of the archive. Throws `not_found` for a model with
 * files outside of its folder, to which no path in an archive leads.
 */
function mjzEntries(files: readonly ClosureFile[], model: string, id: string): ArchivedFile[] {
  const folder = dirname(model) === '.' ? '' : `${dirname(model)}/`;
  const outside = files.find(({ path }) => !path.startsWith(folder));
  if (outside)
    throw missingAtDoor(
      'asset',
      `${outside.path} is not in the folder of the model. Take the .zip of this asset.`,
    );
  const entries = files.map((file) => ({ name: file.path.slice(folder.length), file }));
  const entry = entries.find(({ file }) => file.path === model);
  for (const name of ['model.xml', `${id}.xml`]) {
    const taken = entries.find((other) => other.name === name);
    if (entry && !taken) return [{ ...entry, name }, ...entries];
    if (entry === taken) break;
  }
  return entries;
}

import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { withTimeout } from '@bindery/concurrency';
import type { AssetDataBlock, BlendAssets } from '@bindery/formats/blend/data-blocks';
import type { Context } from '../../context.ts';
import { ServiceError, unavailable } from '../../errors.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { ClosureFile } from '../../revision/file-closure.ts';
import type { RevisionIndex } from '../../revision/revision-index.ts';
import type { DoorRevision } from '../revision.ts';
import { catalogsIn } from './catalogs.ts';

/** The most data-blocks in a page and in all, and bytes of all files that name catalogs. */
const MOST = { inPage: 1_000, dataBlocks: 200_000, catalogBytes: 2 ** 20 };
/** The most characters that are said of the data-blocks of a page, unless it has only one, and of all. */
const MOST_SAID = { inPage: 2 ** 20, inAll: 48 * 2 ** 20 };

/** Milliseconds for which a client waits: proxies give up after a minute. */
const PATIENCE = 45_000;
/** Seconds. */
const RETRY_AFTER = 10;

/** The documents of Blender's listing of online assets (`blender_asset_library_openapi.yaml`, version 1), by their paths. */
export type Listing = ReadonlyMap<string, string>;

export const META = '_asset-library-meta.json';
const INDEX = '_v1/asset-index.json';

/** A Blender file of a revision, and what is listed with what is in it. */
interface ListedFile {
  file: ClosureFile;
  /** Of the asset that the file is in. */
  license: string | null;
  thumbnail: ClosureFile | null;
  assets: BlendAssets;
}

/**
 * Lists the data-blocks in the Blender files of a revision that are marked as assets. `root` precedes the addresses of pages, and `page` is the
 * address of the library for people. Throws `unavailable` while files are being read for the first time; who asks again finds more of
 * them read.
 */
export async function writeListing(
  context: Pick<Context, 'blendFiles' | 'objects'>,
  revision: DoorRevision,
  { root, page, isGone }: { root: string; page: string; isGone: () => boolean },
): Promise<Listing> {
  const { row, namespace } = revision;
  const listed = await readFiles(context, revision, isGone);
  const assets = listed.flatMap((one) => one.assets.dataBlocks.map((block) => ({ block, one })));
  const documents = new Map<string, string>();
  const add = (path: string, content: unknown) => {
    const text = JSON.stringify(content);
    documents.set(path, text);
    return { url: root + path, hash: hashOf(createHash('sha256').update(text).digest('hex')) };
  };
  const pages = [];
  for (const part of partsOf(assets)) {
    if (turnIsOver()) await nextTurn();
    const used = [...new Set(part.map(({ one }) => one))];
    const number = String(pages.length).padStart(5, '0');
    const content = {
      asset_count: part.length,
      file_count: used.length,
      assets: part.map(({ block, one }) => assetOf(block, one)),
      files: used.map(fileOf),
    };
    pages.push(add(`_v1/assets-${number}.json`, content));
  }
  const withAssets = listed.filter((one) => one.assets.dataBlocks.length > 0);
  const catalogs = catalogsIn(await readCatalogs(context, revision));
  const indexed = add(INDEX, {
    schema_version: '1.0.0',
    asset_size_bytes: withAssets.reduce((sum, { file }) => sum + file.size, 0),
    asset_count: assets.length,
    file_count: withAssets.length,
    pages,
    ...(catalogs.length > 0 && { catalogs }),
  });
  add(META, {
    api_versions: { v1: indexed },
    name: row.title ?? `${namespace}/${row.name}`,
    contact: { name: namespace, url: page },
  });
  return documents;
}

type ListedDataBlock = { block: AssetDataBlock; one: ListedFile };

/** Cuts a list into pages. */
function* partsOf(assets: readonly ListedDataBlock[]): Generator<ListedDataBlock[]> {
  let part: ListedDataBlock[] = [];
  let said = 0;
  for (const asset of assets) {
    const length = JSON.stringify(asset.block).length;
    if (part.length === MOST.inPage || (part.length > 0 && said + length > MOST_SAID.inPage)) {
      yield part;
      [part, said] = [[], 0];
    }
    part.push(asset);
    said += length;
  }
  if (part.length > 0) yield part;
}

async function readFiles(
  { blendFiles }: Pick<Context, 'blendFiles'>,
  { row, index }: DoorRevision,
  isGone: () => boolean,
): Promise<ListedFile[]> {
  const deadline = performance.now() + PATIENCE;
  const listed: ListedFile[] = [];
  let [count, said] = [0, 0];
  for (const { place, asset } of await blendFilesOf(index)) {
    const file = index.files.at(place);
    const read = isGone() ? notReadYet() : blendFiles.read({ storeId: row.store_id, sha256: file.sha256 });
    const assets = await withTimeout(read, deadline - performance.now(), notReadYet);
    if (assets === null) continue;
    count += assets.dataBlocks.length;
    said += JSON.stringify(assets.dataBlocks).length;
    if (count > MOST.dataBlocks || said > MOST_SAID.inAll)
      throw new ServiceError('payload_too_large', 'The library has too many assets of Blender to list them.');
    const { license } = index.card(asset);
    listed.push({ file, assets, license: license ?? row.license, thumbnail: index.thumbnail(asset) });
  }
  return listed;
}

function notReadYet(): never {
  throw unavailable(
    'The Blender files of this library are being read for the first time. Try again: what has been read is kept.',
    RETRY_AFTER,
  );
}

/** The Blender files of a revision in the order of their paths, with the first asset that has each. */
async function blendFilesOf(index: RevisionIndex): Promise<{ place: number; asset: number }[]> {
  const found = new Map<number, number>();
  for (let asset = 0; asset < index.assetCount; asset++) {
    for (const place of index.filesOf(asset)) {
      if (found.has(place) || !index.files.paths.at(place).toLowerCase().endsWith('.blend')) continue;
      found.set(place, asset);
    }
    if (turnIsOver()) await nextTurn();
  }
  return [...found].map(([place, asset]) => ({ place, asset })).sort((one, other) => one.place - other.place);
}

async function readCatalogs(
  { objects }: Pick<Context, 'objects'>,
  { row, index }: DoorRevision,
): Promise<string[]> {
  const texts: string[] = [];
  let left = MOST.catalogBytes;
  for (let place = 0; place < index.files.count; place++) {
    if (turnIsOver()) await nextTurn();
    if (!posix.basename(index.files.paths.at(place)).endsWith('.cats.txt')) continue;
    const { sha256, size } = index.files.at(place);
    if (size > left) continue;
    left -= size;
    texts.push((await objects.read({ storeId: row.store_id, sha256 })).toString());
  }
  return texts;
}

function assetOf(block: AssetDataBlock, { file, license, thumbnail, assets }: ListedFile) {
  const { name, idType, catalogId, author, description, copyright, tags } = block;
  const licensed = block.license ?? license ?? undefined;
  const meta = { catalog_id: catalogId, tags, author, description, license: licensed, copyright };
  return {
    name,
    id_type: idType,
    files: [file.path],
    ...(thumbnail !== null && { thumbnail: { url: urlOf(thumbnail.path), hash: hashOf(thumbnail.sha256) } }),
    ...(Object.values(meta).some((value) => value !== undefined) && { meta }),
    bl_versions: { min: assets.blenderVersion },
  };
}

function fileOf({ file, assets }: ListedFile) {
  const url = urlOf(file.path);
  return {
    path: file.path,
    ...(url !== file.path && { url }),
    size_in_bytes: file.size,
    hash: hashOf(file.sha256),
    blender_version: assets.blenderVersion,
  };
}

/** Relative to the address of the library. */
function urlOf(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

function hashOf(sha256: string): string {
  return `SHA256:${sha256}`;
}

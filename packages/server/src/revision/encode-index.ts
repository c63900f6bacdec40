import { hash } from 'node:crypto';
import {
  certificatePath,
  compareUtf8,
  DEFAULT_ENTRY_POINT_KIND,
  DEFAULT_KIND,
  deriveWords,
  digestText,
  effectiveLicense,
  formatDigest,
  type Manifest,
  type ManifestAsset,
  readStatistics,
  type ValidManifest,
} from '@bindery/contract';
import { readVersion } from '../version.ts';
import {
  type AssetCard,
  type AssetRemainder,
  encodeAssetTable,
  encodeLibrary,
  type TabledAsset,
} from './asset-table.ts';
import { encodeDescriptors } from './descriptors.ts';
import { type ClosureFile, encodeFileClosure, type FileClosure } from './file-closure.ts';
import { encodeKeywordIndex } from './keywords/encode-keywords.ts';
import { encodeMeasures, measureAsset } from './measures.ts';
import { encodeOrders } from './orders.ts';
import type { Sections } from './sections.ts';
import { encodeTextColumn, TextColumn } from './text-column.ts';
import { encodeValueIndex } from './values.ts';
import { encodeWordIndex } from './words/encode-words.ts';
import type { SharedPhrases } from './words/shared-phrases.ts';

/** A stored file. */
type StoredFile = Omit<ClosureFile, 'platform'>;

/** A declared platform artifact that is stored. */
export type StoredArtifact = StoredFile;

/**
 * Returns the sections of a revision's index, given a valid manifest and its stored platform artifacts.
 *
 * @param shared what most descriptions have in common, if it is known
 */
export function encodeRevisionIndex(
  { manifest, files, places }: Pick<ValidManifest, 'manifest' | 'files' | 'places'>,
  artifacts: readonly StoredArtifact[],
  shared?: SharedPhrases,
): Sections {
  const closure = new ClosureLayout(files, artifacts);
  const table = tabledAssets(manifest, closure, places);
  const documents = table.map(documentOf);
  const keywords = encodeKeywordIndex(documents);
  return {
    ...encodeTextColumn(ENCODER, [readVersion()]),
    ...encodeFileClosure(closure.files, (place) => closure.isArtifact(place)),
    ...encodeLibrary(manifest.library ?? {}),
    ...encodeAssetTable(table),
    ...keywords,
    ...encodeValueIndex(keywords, table),
    ...encodeMeasures(table.map(measureAsset)),
    ...encodeDescriptors(table),
    ...encodeOrders(documents),
    ...encodeWordIndex(documents, shared),
  };
}

/** The release that has encoded an index. */
export const ENCODER = 'encoder';

/** Whether this release has encoded an index: another may find other words and values in the same assets. */
export function isOfThisRelease(sections: Sections): boolean {
  return `${ENCODER}.bytes` in sections && new TextColumn(sections, ENCODER).is(0, readVersion());
}

/** What is searched of an asset. */
export function documentOf({ card, remainder }: Pick<TabledAsset, 'card' | 'remainder'>) {
  const derived = deriveWords(readStatistics(remainder.meta));
  return { ...card, id: card.assetId, entryPoints: Object.keys(remainder.entryPoints), derived };
}

/** User files and platform artifacts merged into one order by path. */
class ClosureLayout {
  readonly files: StoredFile[] = [];
  /** The places of user files in the closure, by their number among the user files. */
  readonly #places: Uint32Array;
  readonly #artifacts = new Map<string, number>();
  readonly #artifactPlaces = new Set<number>();

  constructor(files: readonly StoredFile[], artifacts: readonly StoredArtifact[]) {
    this.#places = new Uint32Array(files.length);
    const left = artifacts.toSorted((a, b) => compareUtf8(b.path, a.path));
    for (const [index, file] of files.entries()) {
      this.#addArtifacts(left, (artifact) => compareUtf8(artifact.path, file.path) < 0);
      this.#places[index] = this.files.push(file) - 1;
    }
    this.#addArtifacts(left, () => true);
  }

  isArtifact(place: number): boolean {
    return this.#artifactPlaces.has(place);
  }

  placeOf(index: number): number {
    return this.#places[index] as number;
  }

  /** Returns the place of an artifact, or null for one that is not stored. */
  placeOfArtifact(path: string): number | null {
    return this.#artifacts.get(path) ?? null;
  }

  /** Moves artifacts from the end of `left` into the closure while they come next. */
  #addArtifacts(left: StoredArtifact[], isNext: (artifact: StoredArtifact) => boolean): void {
    for (let next = left.at(-1); next && isNext(next); next = left.at(-1)) {
      const place = this.files.push(next) - 1;
      this.#artifacts.set(next.path, place);
      this.#artifactPlaces.add(place);
      left.pop();
    }
  }
}

/**
 * Returns the assets sorted by id. `places` has the number of the user file for each file entry of each asset, in
 * manifest order.
 */
function tabledAssets(
  { assets, library }: Manifest,
  closure: ClosureLayout,
  places: Uint32Array,
): TabledAsset[] {
  let start = 0;
  const table = assets.map((asset): TabledAsset => {
    const end = start + asset.files.length;
    const files = places.slice(start, end).map((index) => closure.placeOf(index));
    start = end;
    return {
      card: cardOf(asset, library),
      remainder: remainderOf(asset),
      files,
      thumbnail: placeOfThumbnail(asset, files, closure),
      isCertified: closure.placeOfArtifact(certificatePath(asset.id)) !== null,
    };
  });
  return table.sort((a, b) => (a.card.assetId < b.card.assetId ? -1 : 1));
}

function placeOfThumbnail(
  { files, thumbnail }: ManifestAsset,
  places: Uint32Array,
  closure: ClosureLayout,
): number | null {
  if (thumbnail === undefined) return null;
  const own = files.findIndex(({ path }) => path === thumbnail);
  return own < 0 ? closure.placeOfArtifact(thumbnail) : (places[own] ?? null);
}

function cardOf(asset: ManifestAsset, library: Manifest['library']): AssetCard {
  return {
    assetId: asset.id,
    title: asset.title ?? null,
    description: asset.description ?? null,
    category: asset.category ?? null,
    tags: asset.tags ?? [],
    kind: asset.kind ?? DEFAULT_KIND,
    format: asset.format ?? null,
    license: effectiveLicense(asset, library),
    entry: asset.entry ?? null,
    files: { count: asset.files.length, bytes: asset.files.reduce((sum, file) => sum + file.size, 0) },
    digest: formatDigest(hash('sha256', digestText(asset.files))),
  };
}

function remainderOf(asset: ManifestAsset): AssetRemainder {
  const entryPoints = Object.entries(asset.entryPoints ?? {}).map(([name, { kind, file }]) => [
    name,
    { kind: kind ?? DEFAULT_ENTRY_POINT_KIND, file },
  ]);
  return {
    license: asset.license ?? null,
    attribution: asset.attribution ?? null,
    upstream: asset.upstream ?? null,
    entryPoints: Object.fromEntries(entryPoints),
    meta: asset.meta ?? {},
  };
}

/*
 * Size and hash of every platform artifact of a revision. The manifest lists artifacts by path alone, so the index
 * could not be rebuilt without this list. JSON: `[[path, size, sha256], …]`.
 */

/** Null for a revision without artifacts. */
export function writeArtifactList(files: FileClosure): Uint8Array<ArrayBuffer> | null {
  const entries: [string, number, string][] = [];
  for (let place = 0; place < files.count; place++)
    if (files.isPlatform(place))
      entries.push([files.paths.at(place), files.size(place), files.sha256(place)]);
  return entries.length === 0 ? null : new TextEncoder().encode(JSON.stringify(entries));
}

export function readArtifactList(bytes: Uint8Array): StoredArtifact[] {
  const entries: [string, number, string][] = JSON.parse(new TextDecoder().decode(bytes));
  return entries.map(([path, size, sha256]) => ({ path, size, sha256 }));
}

import type { AssetDetail, ManifestLibrary, SearchHit } from '@bindery/contract';
import { type Sections, sectionOf } from './sections.ts';
import { encodeTextColumn, TextColumn } from './text-column.ts';

/** What a search hit shows of an asset, whatever the query was. */
export type AssetCard = Omit<SearchHit, 'score' | 'thumbnailUrl' | 'explain'>;

/** What only the detail of an asset shows; `license` is the asset's own. */
export type AssetRemainder = Pick<
  AssetDetail,
  'license' | 'attribution' | 'upstream' | 'entryPoints' | 'meta'
>;

export interface TabledAsset {
  card: AssetCard;
  remainder: AssetRemainder;
  /** Positions in the file closure, in manifest order. */
  files: Uint32Array;
  /** Position in the file closure, or null. */
  thumbnail: number | null;
  /** Whether its publisher has certified it. */
  isCertified: boolean;
}

const NO_FILE = 0xffff_ffff;

/** The assets of a revision, sorted by the UTF-8 bytes of their ids. */
export class AssetTable {
  readonly ids: TextColumn;
  readonly #cards: TextColumn;
  readonly #remainders: TextColumn;
  readonly #thumbnails: Uint32Array;
  readonly #files: Uint32Array;
  readonly #fileStarts: Uint32Array;

  constructor(sections: Sections) {
    this.ids = new TextColumn(sections, 'assets.ids');
    this.#cards = new TextColumn(sections, 'assets.cards');
    this.#remainders = new TextColumn(sections, 'assets.remainders');
    this.#thumbnails = sectionOf(sections, 'assets.thumbnails', 'Uint32Array');
    this.#files = sectionOf(sections, 'assets.files', 'Uint32Array');
    this.#fileStarts = sectionOf(sections, 'assets.fileStarts', 'Uint32Array');
  }

  get count(): number {
    return this.ids.length;
  }

  card(index: number): AssetCard {
    return JSON.parse(this.#cards.at(index));
  }

  remainder(index: number): AssetRemainder {
    return JSON.parse(this.#remainders.at(index));
  }

  thumbnail(index: number): number | null {
    const place = this.#thumbnails[index];
    return place === undefined || place === NO_FILE ? null : place;
  }

  /** The thumbnail of the chosen asset, else of the first that has one. */
  cover(chosen: string | null): number | null {
    const own = chosen === null ? null : this.thumbnail(this.ids.indexOf(chosen));
    return own ?? this.thumbnails().next().value ?? null;
  }

  /** The thumbnails of all assets that have one, in the order of these. */
  *thumbnails(): Generator<number> {
    for (const place of this.#thumbnails) if (place !== NO_FILE) yield place;
  }

  /** Compares the ids of two assets by UTF-8 bytes. */
  compareIds(index: number, other: AssetTable, otherIndex: number): number {
    return this.ids.compare(index, other.ids, otherIndex);
  }

  /**
   * Whether two assets state the same and have the same files. The licence that one has of its library is not what it
   * states. Only those that differ in bytes are parsed.
   */
  isSame(index: number, other: AssetTable, otherIndex: number): boolean {
    if (this.#remainders.compare(index, other.#remainders, otherIndex) !== 0) return false;
    if (this.#cards.compare(index, other.#cards, otherIndex) === 0) return true;
    const [one, another] = [this.card(index), other.card(otherIndex)];
    return JSON.stringify({ ...one, license: null }) === JSON.stringify({ ...another, license: null });
  }

  files(index: number): Uint32Array {
    return this.#files.subarray(this.#fileStarts[index], this.#fileStarts[index + 1]);
  }
}

/** Whether two tables have the same ids, and so number their assets identically. */
export function haveSameAssets(one: Sections, other: Sections): boolean {
  return new AssetTable(one).ids.equals(new AssetTable(other).ids);
}

/** Returns the sections of the table, given the assets sorted by id. */
export function encodeAssetTable(assets: readonly TabledAsset[]): Sections {
  const fileStarts = new Uint32Array(assets.length + 1);
  assets.forEach(({ files }, at) => {
    fileStarts[at + 1] = (fileStarts[at] ?? 0) + files.length;
  });
  const files = new Uint32Array(fileStarts[assets.length] ?? 0);
  for (const [at, asset] of assets.entries()) files.set(asset.files, fileStarts[at]);
  return {
    ...encodeTextColumn(
      'assets.ids',
      assets.map(({ card }) => card.assetId),
    ),
    ...encodeTextColumn(
      'assets.cards',
      assets.map(({ card }) => JSON.stringify(card)),
    ),
    ...encodeTextColumn(
      'assets.remainders',
      assets.map(({ remainder }) => JSON.stringify(remainder)),
    ),
    'assets.thumbnails': Uint32Array.from(assets, ({ thumbnail }) => thumbnail ?? NO_FILE),
    'assets.files': files,
    'assets.fileStarts': fileStarts,
  };
}

/** How many assets a revision adds, removes and changes, compared with the revision before. */
export interface AssetChanges {
  added: number;
  removed: number;
  changed: number;
}

/** Compares two asset tables, both sorted by id; if there is no earlier one, everything is added. */
export function compareAssets(before: Sections | null, after: Sections): AssetChanges {
  const later = columnsOf(after);
  if (before === null) return { added: later.ids.length, removed: 0, changed: 0 };
  const earlier = columnsOf(before);
  let [at, old, both, changed] = [0, 0, 0, 0];
  while (at < later.ids.length && old < earlier.ids.length) {
    const order = later.ids.compare(at, earlier.ids, old);
    if (order === 0) {
      both += 1;
      if (!isSame(later, at, earlier, old)) changed += 1;
    }
    if (order <= 0) at += 1;
    if (order >= 0) old += 1;
  }
  return { added: later.ids.length - both, removed: earlier.ids.length - both, changed };
}

interface Columns {
  ids: TextColumn;
  /** All other columns of an asset; the first contains the digest of its files. */
  contents: TextColumn[];
}

function columnsOf(sections: Sections): Columns {
  return {
    ids: new TextColumn(sections, 'assets.ids'),
    contents: ['assets.cards', 'assets.remainders'].map((name) => new TextColumn(sections, name)),
  };
}

function isSame(one: Columns, at: number, other: Columns, otherAt: number): boolean {
  return one.contents.every(
    (column, place) => column.compare(at, other.contents[place] as TextColumn, otherAt) === 0,
  );
}

const LIBRARY = 'library';

/** Returns the library block of the manifest; null if the revision was registered without it in its index. */
export function openLibrary(sections: Sections): ManifestLibrary | null {
  return `${LIBRARY}.bytes` in sections ? JSON.parse(new TextColumn(sections, LIBRARY).at(0)) : null;
}

/** Returns the sections of the library block. */
export function encodeLibrary(library: ManifestLibrary): Sections {
  return encodeTextColumn(LIBRARY, [JSON.stringify(library)]);
}

import type { ManifestLibrary } from '@bindery/contract';
import { type AssetCard, type AssetRemainder, AssetTable, openLibrary } from './asset-table.ts';
import { type Descriptors, openDescriptors } from './descriptors.ts';
import { type ClosureFile, FileClosure } from './file-closure.ts';
import { KeywordIndex } from './keywords/keyword-index.ts';
import { type Measures, openMeasures } from './measures.ts';
import { type Orders, openOrders, titleKey } from './orders.ts';
import { decodeSections } from './sections.ts';
import { ValueIndex } from './values.ts';
import { WordIndex } from './words/word-index.ts';

/** An index with everything that searches by relevance need. */
export type RelevanceIndex = RevisionIndex & {
  readonly words: WordIndex;
  readonly values: ValueIndex;
  readonly measures: Measures;
  readonly orders: Orders;
};

/** Whether an index has everything that searches by relevance need; older indexes lack it. */
export function servesRelevance(index: RevisionIndex): index is RelevanceIndex {
  return index.words !== null && index.measures !== null && index.values !== null && index.orders !== null;
}

/**
 * Everything that reads and searches of one revision need, as views over the bytes of one file: opening it allocates
 * nothing per file or asset. Assets are numbered in the order of their ids' UTF-8 bytes.
 */
export class RevisionIndex {
  readonly byteLength: number;
  readonly files: FileClosure;
  /** Searches the assets by keyword; a document's number is the asset's. */
  readonly keywords: KeywordIndex;
  /** Ranks the assets by relevance; null if the revision was registered without this index. */
  readonly words: WordIndex | null;
  /** What searches by relevance filter by and count; null likewise. */
  readonly values: ValueIndex | null;
  /** What the assets measure; null likewise. */
  readonly measures: Measures | null;
  /** Orders other than by id; null likewise. */
  readonly orders: Orders | null;
  /** What similar assets are found by; null if no asset has it. */
  readonly descriptors: Descriptors | null;
  /** The library block of the manifest; null if the revision was registered without it here. */
  readonly library: ManifestLibrary | null;
  readonly #assets: AssetTable;

  private constructor(bytes: Uint8Array) {
    this.byteLength = bytes.byteLength;
    const sections = decodeSections(bytes);
    this.files = new FileClosure(sections);
    this.keywords = new KeywordIndex(sections);
    this.words = WordIndex.open(sections);
    this.values = ValueIndex.open(sections);
    this.measures = openMeasures(sections);
    this.orders = openOrders(sections);
    this.descriptors = openDescriptors(sections);
    this.library = openLibrary(sections);
    this.#assets = new AssetTable(sections);
  }

  /** Opens an index from its bytes, which must not change afterwards. */
  static open(bytes: Uint8Array): RevisionIndex {
    return new RevisionIndex(bytes);
  }

  get assetCount(): number {
    return this.#assets.count;
  }

  /** Returns the number of an asset, or -1. */
  indexOfAsset(id: string): number {
    return this.#assets.ids.indexOf(id);
  }

  assetId(index: number): string {
    return this.#assets.ids.at(index);
  }

  /** What a search hit shows of an asset, except `score` and `thumbnailUrl`. */
  card(index: number): AssetCard {
    return this.#assets.card(index);
  }

  /** What the asset is sorted by in the order of titles. */
  titleKey(index: number): string {
    return titleKey(this.card(index));
  }

  /** The size of the asset's files. */
  bytes(index: number): number {
    return this.measures?.bytes[index] ?? this.card(index).files.bytes;
  }

  /** What only the detail of an asset shows. */
  remainder(index: number): AssetRemainder {
    return this.#assets.remainder(index);
  }

  /** Returns the positions of the asset's files in the closure, in manifest order. */
  filesOf(index: number): Uint32Array {
    return this.#assets.files(index);
  }

  /** Returns the number of the first asset whose id comes after this one. */
  firstAfter(id: string): number {
    const { first, exact } = this.#assets.ids.startingWith(id);
    return exact ? first + 1 : first;
  }

  /** Compares the ids of an asset and one of another revision. */
  compareIds(index: number, other: RevisionIndex, otherIndex: number): number {
    return this.#assets.compareIds(index, other.#assets, otherIndex);
  }

  /** Whether the manifests of two revisions state the same of an asset. */
  statesSame(index: number, other: RevisionIndex, otherIndex: number): boolean {
    const [one, another] = [this.#assets.thumbnail(index), other.#assets.thumbnail(otherIndex)];
    const hasSamePicture =
      one === null || another === null
        ? one === another
        : this.files.paths.compare(one, other.files.paths, another) === 0;
    return hasSamePicture && this.#assets.isSame(index, other.#assets, otherIndex);
  }

  thumbnail(index: number): ClosureFile | null {
    const place = this.#assets.thumbnail(index);
    return place === null ? null : this.files.at(place);
  }

  /** The thumbnail of the chosen asset, else of the first that has one. */
  cover(chosen: string | null): ClosureFile | null {
    const place = this.#assets.cover(chosen);
    return place === null ? null : this.files.at(place);
  }

  /** Returns the file at a path, platform artifacts included, or null. */
  findFile(path: string): ClosureFile | null {
    return this.files.find(path);
  }
}

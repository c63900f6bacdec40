import { crc32 } from 'node:zlib';
import { type DerivedWords, deriveWords, type ManifestLayout, readStatistics } from '@bindery/contract';
import type { AssetCard, AssetRemainder } from '../../revision/asset-table.ts';
import { DescriptorJoiner, type Descriptors, openDescriptors } from '../../revision/descriptors.ts';
import type { ClosureFile } from '../../revision/file-closure.ts';
import { concatenated } from '../../revision/list-column.ts';
import { joinMeasures, type Measures, openMeasures } from '../../revision/measures.ts';
import { type OrderedAssets, titleKey } from '../../revision/orders.ts';
import type { RelevanceIndex } from '../../revision/revision-index.ts';
import { decodeSections, type Sections, sectionOf } from '../../revision/sections.ts';
import { encodeTextColumn, TextColumn } from '../../revision/text-column.ts';
import { ValueIndex, ValueIndexJoiner } from '../../revision/values.ts';
import { type SidecarHashes, sidecarHashes } from '../../revision/vectors/sidecar.ts';
import { WordIndexJoiner } from '../../revision/words/encode-words.ts';
import { WordIndex } from '../../revision/words/word-index.ts';

/** Names a revision by its index. */
export interface RevisionKey {
  storeId: string;
  indexSha256: string;
}

export function keyOf({ storeId, indexSha256 }: RevisionKey): string {
  return `${storeId}/${indexSha256}`;
}

/** A revision in a segment. */
export interface SegmentMember extends RevisionKey {
  /** Its assets are the documents from `first` up to, not including, `first + count`, in their order. */
  first: number;
  count: number;
  /** See `WordIndex.sharedPhrases`. */
  sharedPhrases: readonly string[];
  /** The files of the vectors that it comes with. */
  sidecar: SidecarHashes | null;
}

/** What a hit shows of an asset, read from the disk. */
export interface DescribedAsset {
  card: AssetCard;
  thumbnail: ClosureFile | null;
  entryPoints: AssetRemainder['entryPoints'];
  derived: DerivedWords;
}

/** The file beside a segment that holds what is shown of its documents. Rejects when the segment has been removed. */
export interface DescriptionFile {
  read(start: number, length: number): Promise<Uint8Array>;
}

const LAYOUT = {
  /** JSON. */
  members: 'segment.members',
  /** In milliseconds since 1970. */
  madeAt: 'segment.madeAt',
  /** Column of the keys that documents are sorted by in the order of titles. */
  titleKeys: 'segment.titleKeys',
  /** The documents of each member in its orders, numbered as its assets. */
  byTitle: 'segment.byTitle',
  bySize: 'segment.bySize',
  /** Where each description starts, followed by the end. */
  starts: 'segment.descriptions.starts',
  /** The CRC-32 of each description. */
  checks: 'segment.descriptions.checks',
} as const;

/**
 * The words, values, measures and descriptors of the assets of many libraries, so that one look finds what any of them
 * has. What is shown of an asset stays on the disk. Who may see a library is not known here.
 */
export class SegmentIndex {
  readonly byteLength: number;
  readonly members: readonly SegmentMember[];
  /** In milliseconds since 1970. */
  readonly madeAt: number;
  readonly words: WordIndex;
  readonly values: ValueIndex;
  readonly measures: Measures;
  readonly descriptors: Descriptors;
  readonly #titleKeys: TextColumn;
  readonly #byTitle: Uint32Array;
  readonly #bySize: Uint32Array;
  readonly #starts: Uint32Array;
  readonly #checks: Uint32Array;
  readonly #descriptions: DescriptionFile;

  /** Opens a segment from its bytes, which must not change afterwards. Throws if they are of another release. */
  constructor(bytes: Uint8Array, descriptions: DescriptionFile) {
    const sections = decodeSections(bytes);
    const [words, values, measures, descriptors] = [
      WordIndex.open(sections),
      ValueIndex.open(sections),
      openMeasures(sections),
      openDescriptors(sections),
    ];
    if (!words || !values || !measures || !descriptors)
      throw new Error('The segment was written by another release.');
    this.byteLength = bytes.byteLength;
    this.members = JSON.parse(Buffer.from(sectionOf(sections, LAYOUT.members, 'Uint8Array')).toString());
    this.madeAt = sectionOf(sections, LAYOUT.madeAt, 'Float64Array')[0] as number;
    this.words = words;
    this.values = values;
    this.measures = measures;
    this.descriptors = descriptors;
    this.#titleKeys = new TextColumn(sections, LAYOUT.titleKeys);
    this.#byTitle = sectionOf(sections, LAYOUT.byTitle, 'Uint32Array');
    this.#bySize = sectionOf(sections, LAYOUT.bySize, 'Uint32Array');
    this.#starts = sectionOf(sections, LAYOUT.starts, 'Uint32Array');
    this.#checks = sectionOf(sections, LAYOUT.checks, 'Uint32Array');
    this.#descriptions = descriptions;
  }

  get assetCount(): number {
    return this.#checks.length;
  }

  /** Returns the assets of a member, numbered as in its revision. */
  ordered({ first, count }: Pick<SegmentMember, 'first' | 'count'>): OrderedAssets {
    return {
      assetCount: count,
      orders: {
        title: this.#byTitle.subarray(first, first + count),
        size: this.#bySize.subarray(first, first + count),
      },
      titleKey: (asset) => this.#titleKeys.at(first + asset),
      bytes: (asset) => this.measures.bytes[first + asset] as number,
    };
  }

  /** Reads what is shown of a document. Rejects if the segment has been removed or its file is damaged. */
  async describe(document: number): Promise<DescribedAsset> {
    const start = this.#starts[document] as number;
    const bytes = await this.#descriptions.read(start, (this.#starts[document + 1] as number) - start);
    if (crc32(bytes) !== this.#checks[document]) throw new Error('A description in a segment is damaged.');
    return JSON.parse(Buffer.from(bytes).toString());
  }
}

/** Joins revisions into a segment. */
export class SegmentBuilder {
  readonly #members: SegmentMember[] = [];
  readonly #words = new WordIndexJoiner();
  readonly #values = new ValueIndexJoiner();
  readonly #measures: Measures[] = [];
  readonly #descriptors = new DescriptorJoiner();
  readonly #titleKeys: string[] = [];
  readonly #byTitle: Uint32Array[] = [];
  readonly #bySize: Uint32Array[] = [];
  readonly #starts: number[] = [0];
  readonly #checks: number[] = [];
  readonly #append: (description: Uint8Array) => void;

  /** @param append adds to the file of descriptions */
  constructor(append: (description: Uint8Array) => void) {
    this.#append = append;
  }

  add(revision: RevisionKey & { layout: ManifestLayout }, index: RelevanceIndex): void {
    const { storeId, indexSha256, layout } = revision;
    const count = index.assetCount;
    this.#members.push({
      ...{ storeId, indexSha256, first: this.#checks.length, count },
      sharedPhrases: [...index.words.sharedPhrases],
      sidecar: sidecarHashes(index, layout),
    });
    this.#descriptors.add(index.descriptors, this.#checks.length);
    this.#words.add(index.words);
    this.#values.add(index.values, count);
    // Copies, so that nothing keeps the revision's index in memory.
    this.#measures.push(
      Object.fromEntries(
        Object.entries(index.measures).map(([measure, values]) => [measure, values.slice()]),
      ) as Measures,
    );
    this.#byTitle.push(index.orders.title.slice());
    this.#bySize.push(index.orders.size.slice());
    for (let asset = 0; asset < count; asset++) this.#describe(index, asset);
  }

  sections(): Sections {
    return {
      [LAYOUT.members]: new Uint8Array(Buffer.from(JSON.stringify(this.#members))),
      [LAYOUT.madeAt]: Float64Array.of(Date.now()),
      ...this.#words.sections(),
      ...this.#values.sections(),
      ...joinMeasures(this.#measures),
      ...this.#descriptors.sections(),
      ...encodeTextColumn(LAYOUT.titleKeys, this.#titleKeys),
      [LAYOUT.byTitle]: concatenated(this.#byTitle).values,
      [LAYOUT.bySize]: concatenated(this.#bySize).values,
      [LAYOUT.starts]: Uint32Array.from(this.#starts),
      [LAYOUT.checks]: Uint32Array.from(this.#checks),
    };
  }

  #describe(index: RelevanceIndex, asset: number): void {
    const card = index.card(asset);
    const { entryPoints, meta } = index.remainder(asset);
    const derived = deriveWords(readStatistics(meta));
    const described: DescribedAsset = { card, thumbnail: index.thumbnail(asset), entryPoints, derived };
    const bytes = Buffer.from(JSON.stringify(described));
    this.#append(bytes);
    this.#starts.push((this.#starts.at(-1) as number) + bytes.length);
    this.#checks.push(crc32(bytes));
    this.#titleKeys.push(titleKey(card));
  }
}

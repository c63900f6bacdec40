import { DESCRIPTOR_PARTS, DESCRIPTOR_VERSION, readDescriptor, readHands } from '@bindery/contract';
import type { TabledAsset } from './asset-table.ts';
import { concatenated } from './list-column.ts';
import { type Sections, sectionOf } from './sections.ts';
import { encodeTextColumn, TextColumn } from './text-column.ts';

const { shape, colors, hasColors, outlines } = DESCRIPTOR_PARTS.model;

/** The parts of descriptors: how many bytes each row of a table has. */
export const ROW_BYTES = { shapes: shape, colors: colors + hasColors, outlines } as const;
export type DescriptorTable = keyof typeof ROW_BYTES;

const SECTION = `descriptors.${DESCRIPTOR_VERSION}`;
const HANDS = `hands.${DESCRIPTOR_VERSION}`;

export interface DescriptorRows<Table extends DescriptorTable> {
  /** The number of the asset of each row, ascending. */
  readonly assets: Uint32Array;
  readonly tables: Readonly<Record<Table, Int8Array>>;
}

/** One row for each hand of a robot, which can have several. */
export interface HandRows extends DescriptorRows<'shapes'> {
  readonly names: TextColumn;
}

/** The descriptors of a revision's assets, one row in each table for each asset that has one. */
export interface Descriptors extends DescriptorRows<DescriptorTable> {
  /** Null if no asset has any. */
  readonly hands: HandRows | null;
}

/** A hand or a gripper of a robot: the name of its link, and what is known of it. */
export interface Hand {
  readonly name: string;
  readonly shape: Int8Array;
}

/** Returns the descriptors among the sections of a revision; null if the revision was registered without any. */
export function openDescriptors(sections: Sections): Descriptors | null {
  if (!(`${SECTION}.assets` in sections)) return null;
  const table = (name: DescriptorTable, section = SECTION) => {
    const { buffer, byteOffset, length } = sectionOf(sections, `${section}.${name}`, 'Uint8Array');
    return new Int8Array(buffer, byteOffset, length);
  };
  const assetsIn = (section: string) => sectionOf(sections, `${section}.assets`, 'Uint32Array');
  const hands = () => ({
    assets: assetsIn(HANDS),
    names: new TextColumn(sections, `${HANDS}.names`),
    tables: { shapes: table('shapes', HANDS) },
  });
  return {
    assets: assetsIn(SECTION),
    tables: { shapes: table('shapes'), colors: table('colors'), outlines: table('outlines') },
    hands: `${HANDS}.assets` in sections ? hands() : null,
  };
}

/** Returns the sections of the descriptors that assets state in their statistics; none if none does. */
export function encodeDescriptors(table: readonly Pick<TabledAsset, 'remainder'>[]): Sections {
  return encodeDescribed(
    table.flatMap(({ remainder }, asset) => {
      const descriptor = readDescriptor(remainder.meta);
      if (descriptor === null) return [];
      const hands = readHands(remainder.meta).map(({ name, shape }) => ({
        name,
        shape: new Int8Array(shape),
      }));
      return [{ asset, descriptor, hands }];
    }),
  );
}

interface DescribedAsset {
  asset: number;
  descriptor: Uint8Array;
  hands: readonly Hand[];
}

function encodeDescribed(described: readonly DescribedAsset[]): Sections {
  if (described.length === 0) return {};
  const rows = (start: number, length: number) => {
    const bytes = new Uint8Array(described.length * length);
    for (const [row, { descriptor }] of described.entries())
      bytes.set(descriptor.subarray(start, start + length), row * length);
    return bytes;
  };
  return {
    [`${SECTION}.assets`]: Uint32Array.from(described, ({ asset }) => asset),
    [`${SECTION}.shapes`]: rows(0, ROW_BYTES.shapes),
    [`${SECTION}.colors`]: rows(ROW_BYTES.shapes, ROW_BYTES.colors),
    [`${SECTION}.outlines`]: rows(ROW_BYTES.shapes + ROW_BYTES.colors, ROW_BYTES.outlines),
    ...encodeHands(described.flatMap(({ asset, hands }) => hands.map((hand) => ({ asset, ...hand })))),
  };
}

function encodeHands(hands: readonly (Hand & { asset: number })[]): Sections {
  if (hands.length === 0) return {};
  const names = hands.map(({ name }) => name);
  return {
    [`${HANDS}.assets`]: Uint32Array.from(hands, ({ asset }) => asset),
    [`${HANDS}.shapes`]: Uint8Array.from(hands.flatMap(({ shape }) => [...shape])),
    ...encodeTextColumn(`${HANDS}.names`, names),
  };
}

/** Returns the hands of an asset. */
export function handsOf(descriptors: Descriptors | null, asset: number): Hand[] {
  const rows = descriptors?.hands ?? null;
  const hands: Hand[] = [];
  for (let row = rows ? lowerBound(rows.assets, asset) : 0; rows?.assets[row] === asset; row++)
    hands.push({ name: rows.names.at(row), shape: rowOf(rows, 'shapes', row) });
  return hands;
}

/** Returns the first position in an ascending list whose number is not below `number`. */
export function lowerBound(list: Uint32Array, number: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] as number) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Merges the descriptors of two indexes into one, in which assets have these numbers.
 *
 * @param gone the number of an asset that is left out
 */
export function spliceDescriptors<Side extends string>(
  indexes: Readonly<Record<Side, Sections>>,
  numbers: Readonly<Record<Side, Uint32Array>>,
  gone: number,
): Sections {
  const described = (Object.keys(indexes) as Side[]).flatMap((side) => {
    const descriptors = openDescriptors(indexes[side]);
    return Array.from(descriptors?.assets ?? [], (asset, row) => {
      const parts = (['shapes', 'colors', 'outlines'] as const).flatMap((table) =>
        descriptors === null ? [] : new Uint8Array(rowOf(descriptors, table, row)),
      );
      const hands = handsOf(descriptors, asset);
      return { asset: numbers[side][asset] as number, descriptor: Buffer.concat(parts), hands };
    });
  });
  const kept = described.filter(({ asset }) => asset !== gone);
  return encodeDescribed(kept.sort((a, b) => a.asset - b.asset));
}

/** Joins the descriptors of revisions. */
export class DescriptorJoiner {
  readonly #assets: Uint32Array[] = [];
  readonly #tables: Record<DescriptorTable, Uint8Array[]> = { shapes: [], colors: [], outlines: [] };
  readonly #hands: (Hand & { asset: number })[] = [];

  /** @param first the number that the revision's first asset has among all */
  add(descriptors: Descriptors | null, first: number): void {
    if (descriptors === null) return;
    this.#assets.push(descriptors.assets.map((asset) => first + asset));
    // Copies, so that nothing keeps the revision's index in memory.
    for (const [table, pieces] of Object.entries(this.#tables))
      pieces.push(Uint8Array.from(descriptors.tables[table as DescriptorTable], (number) => number));
    for (const asset of new Set(descriptors.hands?.assets))
      for (const { name, shape } of handsOf(descriptors, asset))
        this.#hands.push({ asset: first + asset, name, shape: shape.slice() });
  }

  sections(): Sections {
    const tables = Object.entries(this.#tables);
    return {
      [`${SECTION}.assets`]: concatenated(this.#assets).values,
      ...Object.fromEntries(
        tables.map(([table, pieces]) => [`${SECTION}.${table}`, new Uint8Array(Buffer.concat(pieces))]),
      ),
      ...encodeHands(this.#hands),
    };
  }
}

/** Returns a row of a table. */
export function rowOf<Table extends DescriptorTable>(
  { tables }: DescriptorRows<Table>,
  table: Table,
  row: number,
): Int8Array {
  return tables[table].subarray(row * ROW_BYTES[table], (row + 1) * ROW_BYTES[table]);
}

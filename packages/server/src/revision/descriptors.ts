import { DESCRIPTOR_PARTS, DESCRIPTOR_VERSION, readDescriptor } from '@bindery/contract';
import type { TabledAsset } from './asset-table.ts';
import { concatenated } from './list-column.ts';
import { type Sections, sectionOf } from './sections.ts';

const { shape, colors, hasColors, outlines } = DESCRIPTOR_PARTS.model;

/** The parts of descriptors: how many bytes each row of a table has. */
export const ROW_BYTES = { shapes: shape, colors: colors + hasColors, outlines } as const;
export type DescriptorTable = keyof typeof ROW_BYTES;

const SECTION = `descriptors.${DESCRIPTOR_VERSION}`;

/** The descriptors of a revision's assets, one row in each table for each asset that has one. */
export interface Descriptors {
  /** The number of the asset of each row, ascending. */
  readonly assets: Uint32Array;
  readonly tables: Readonly<Record<DescriptorTable, Int8Array>>;
}

/** Returns the descriptors among the sections of a revision; null if the revision was registered without any. */
export function openDescriptors(sections: Sections): Descriptors | null {
  if (!(`${SECTION}.assets` in sections)) return null;
  const table = (name: DescriptorTable) => {
    const { buffer, byteOffset, length } = sectionOf(sections, `${SECTION}.${name}`, 'Uint8Array');
    return new Int8Array(buffer, byteOffset, length);
  };
  return {
    assets: sectionOf(sections, `${SECTION}.assets`, 'Uint32Array'),
    tables: { shapes: table('shapes'), colors: table('colors'), outlines: table('outlines') },
  };
}

/** Returns the sections of the descriptors that assets state in their statistics; none if none does. */
export function encodeDescriptors(table: readonly Pick<TabledAsset, 'remainder'>[]): Sections {
  return encodeDescribed(
    table.flatMap(({ remainder }, asset) => {
      const descriptor = readDescriptor(remainder.meta);
      return descriptor === null ? [] : [{ asset, descriptor }];
    }),
  );
}

function encodeDescribed(described: readonly { asset: number; descriptor: Uint8Array }[]): Sections {
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
  };
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
      return { asset: numbers[side][asset] as number, descriptor: Buffer.concat(parts) };
    });
  });
  const kept = described.filter(({ asset }) => asset !== gone);
  return encodeDescribed(kept.sort((a, b) => a.asset - b.asset));
}

/** Joins the descriptors of revisions. */
export class DescriptorJoiner {
  readonly #assets: Uint32Array[] = [];
  readonly #tables: Record<DescriptorTable, Uint8Array[]> = { shapes: [], colors: [], outlines: [] };

  /** @param first the number that the revision's first asset has among all */
  add(descriptors: Descriptors | null, first: number): void {
    if (descriptors === null) return;
    this.#assets.push(descriptors.assets.map((asset) => first + asset));
    // Copies, so that nothing keeps the revision's index in memory.
    for (const [table, pieces] of Object.entries(this.#tables))
      pieces.push(Uint8Array.from(descriptors.tables[table as DescriptorTable], (number) => number));
  }

  sections(): Sections {
    const tables = Object.entries(this.#tables);
    return {
      [`${SECTION}.assets`]: concatenated(this.#assets).values,
      ...Object.fromEntries(
        tables.map(([table, pieces]) => [`${SECTION}.${table}`, new Uint8Array(Buffer.concat(pieces))]),
      ),
    };
  }
}

/** Returns a row of a table. */
export function rowOf({ tables }: Descriptors, table: DescriptorTable, row: number): Int8Array {
  return tables[table].subarray(row * ROW_BYTES[table], (row + 1) * ROW_BYTES[table]);
}

import { compareUtf8 } from '@bindery/contract';
import { type Sections, sectionOf } from './sections.ts';

/** The orders of a revision's assets other than by id: sections of the revision index file. */
export const ORDER_LAYOUT = {
  /** Every document, by `titleKey`. */
  title: 'orders.title',
  /** Every document, largest first. */
  size: 'orders.size',
} as const;

export interface Orders {
  readonly title: Uint32Array;
  readonly size: Uint32Array;
}

/** Assets that can be listed in these orders. */
export interface OrderedAssets {
  readonly assetCount: number;
  readonly orders: Orders;
  titleKey(asset: number): string;
  /** The size of its files. */
  bytes(asset: number): number;
}

/** Returns the orders among the sections of a revision; null if the revision was registered without them. */
export function openOrders(sections: Sections): Orders | null {
  if (!(ORDER_LAYOUT.title in sections)) return null;
  return {
    title: sectionOf(sections, ORDER_LAYOUT.title, 'Uint32Array'),
    size: sectionOf(sections, ORDER_LAYOUT.size, 'Uint32Array'),
  };
}

/** Returns the key by which assets are sorted by title: in lower case, with the id in place of a missing title. */
export function titleKey({ title, assetId }: { title: string | null; assetId: string }): string {
  return (title ?? assetId).toLowerCase();
}

interface OrderedDocument {
  assetId: string;
  title: string | null;
  files: { bytes: number };
}

/** Returns the sections of the orders, over documents that are in the order of their ids' UTF-8 bytes. */
export function encodeOrders(documents: readonly OrderedDocument[]): Sections {
  const titles = documents.map(titleKey);
  const numbers = documents.map((_, number) => number);
  const byTitle = numbers.toSorted((a, b) => compareUtf8(titles[a] as string, titles[b] as string) || a - b);
  const bytes = (number: number) => documents[number]?.files.bytes ?? 0;
  const bySize = numbers.toSorted((a, b) => bytes(b) - bytes(a) || a - b);
  return {
    [ORDER_LAYOUT.title]: Uint32Array.from(byTitle),
    [ORDER_LAYOUT.size]: Uint32Array.from(bySize),
  };
}

import { compareUtf8 } from '@bindery/contract';
import type { Sections } from '../sections.ts';
import { ORDER_LAYOUT, titleKey } from './orders.ts';

export interface OrderedDocument {
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

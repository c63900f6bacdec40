import { type Sections, sectionOf } from '../sections.ts';

/** The orders of a revision's assets beside that of their ids: sections of the revision index file. */
export const ORDER_LAYOUT = {
  /** Every document, by `titleKey`. */
  title: 'orders.title',
  /** Every document, the largest first. */
  size: 'orders.size',
} as const;

export interface Orders {
  readonly title: Uint32Array;
  readonly size: Uint32Array;
}

/** The orders among the sections of a revision; null where the revision was registered without them. */
export function openOrders(sections: Sections): Orders | null {
  if (!(ORDER_LAYOUT.title in sections)) return null;
  return {
    title: sectionOf(sections, ORDER_LAYOUT.title, 'Uint32Array'),
    size: sectionOf(sections, ORDER_LAYOUT.size, 'Uint32Array'),
  };
}

/** What assets are sorted by that are sorted by title: letter case makes no difference, and an id stands in for a title. */
export function titleKey({ title, assetId }: { title: string | null; assetId: string }): string {
  return (title ?? assetId).toLowerCase();
}

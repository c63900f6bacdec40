import { nextTurn, turnIsOver } from '../process/turns.ts';
import type { DocumentSet } from '../revision/keywords/keyword-index.ts';
import type { RankedPage } from './rank.ts';

/** What is browsed of one target: all documents, given by their number, or those in a set. */
export type Browsed = number | DocumentSet;

/** Returns a page of everything, ordered by target, then by document. */
export async function browsePage(
  targets: readonly Browsed[],
  { offset, limit }: { offset: number; limit: number },
): Promise<RankedPage> {
  const page: RankedPage = { total: 0, places: [] };
  for (const [target, browsed] of targets.entries()) {
    const start = Math.max(0, offset - page.total);
    const documents = documentsOf(browsed, start, limit - page.places.length);
    for (const document of documents) page.places.push({ target, document, key: 0 });
    page.total += countOf(browsed);
    if (turnIsOver()) await nextTurn();
  }
  return page;
}

function countOf(browsed: Browsed): number {
  if (typeof browsed === 'number') return browsed;
  let count = 0;
  for (let document = 0; document < browsed.length; document++) count += browsed[document] as number;
  return count;
}

/** Returns at most `limit` documents after the first `start`. */
function documentsOf(browsed: Browsed, start: number, limit: number): number[] {
  if (typeof browsed === 'number') {
    const length = Math.max(0, Math.min(limit, browsed - start));
    return Array.from({ length }, (_, place) => start + place);
  }
  const documents: number[] = [];
  let left = start;
  for (let document = 0; document < browsed.length && documents.length < limit; document++) {
    if (browsed[document] === 0) continue;
    if (left > 0) left--;
    else documents.push(document);
  }
  return documents;
}

import type { KeywordDocument } from '../../src/revision/keywords/encode-keywords.ts';
import type { Filters } from '../../src/revision/keywords/keyword-index.ts';

export interface ReferenceHit {
  id: string;
  score: number;
}

/** The rules of keyword search, written as they read in the specification, without a thought for speed. */
export function referenceSearch(
  documents: readonly KeywordDocument[],
  query: string,
  filters: Filters = {},
): ReferenceHit[] {
  const tokens = new Set(tokensOf(query));
  const hits = documents
    .filter((document) => passes(document, filters))
    .map((document) => ({ id: document.id, score: scoreOf(document, tokens) }));
  return (query === '' ? hits : hits.filter(({ score }) => score > 0)).sort(
    (a, b) => b.score - a.score || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)),
  );
}

function tokensOf(text: string): string[] {
  const lower = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return lower.split(/[^a-z0-9]+/).filter((token) => token !== '');
}

function scoreOf({ id, title, description, tags }: KeywordDocument, query: Set<string>): number {
  const fields: [weight: number, tokens: string[]][] = [
    [3, tokensOf(title ?? '')],
    [2, tags.flatMap(tokensOf)],
    [2, tokensOf(id)],
    [1, tokensOf(description ?? '')],
  ];
  let score = 0;
  for (const token of query) {
    for (const [weight, tokens] of fields) {
      if (tokens.includes(token)) score += weight;
      else if (tokens.some((candidate) => candidate.startsWith(token))) score += weight * 0.5;
    }
  }
  return score;
}

function passes({ category, kind, license, tags }: KeywordDocument, filters: Filters): boolean {
  return (
    (filters.category === undefined || category === filters.category) &&
    (filters.kind === undefined || kind === filters.kind) &&
    (filters.license === undefined || license === filters.license) &&
    (filters.tag === undefined || tags.includes(filters.tag))
  );
}

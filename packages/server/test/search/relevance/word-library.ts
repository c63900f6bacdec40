import { readFileSync } from 'node:fs';
import { encodeWordIndex, type WordDocument } from '../../../src/revision/words/encode-words.ts';
import { WordIndex } from '../../../src/revision/words/word-index.ts';
import { RelevanceRanking } from '../../../src/search/relevance/hit-orders.ts';
import { interpretQuery } from '../../../src/search/relevance/interpret-query.ts';
import { parseQuery, parseSynonyms, type Synonyms } from '../../../src/search/relevance/query.ts';
import { withWordKeys } from '../../../src/search/relevance/score-words.ts';

const FILE = new URL('../../../src/search/relevance/synonyms.txt', import.meta.url);

/** The synonyms that come with the service. */
export const OWN_SYNONYMS: Synonyms = parseSynonyms(readFileSync(FILE, 'utf8'));

export type WrittenDocument = Partial<WordDocument> & { id: string };

/** Assets as one library has them, in its order. */
export class WordLibrary {
  readonly ids: readonly string[];
  readonly index: WordIndex;

  constructor(documents: readonly WrittenDocument[]) {
    const sorted = documents.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    this.ids = sorted.map(({ id }) => id);
    this.index = WordIndex.open(encodeWordIndex(sorted.map(complete))) as WordIndex;
  }
}

function complete(document: WrittenDocument): WordDocument {
  const absent = { title: null, description: null, category: null, license: null, format: null };
  return { ...absent, kind: 'file', tags: [], ...document };
}

export interface WordSearchResult {
  hits: { id: string; score: number }[];
  corrections: ReadonlyMap<string, string>;
}

/** All hits of a search by words alone over some libraries, the best first. */
export async function searchWords(
  libraries: readonly WordLibrary[],
  query: string,
  synonyms: Synonyms = OWN_SYNONYMS,
): Promise<WordSearchResult> {
  const { slots, postings, mayMatch, corrections } = await interpretQuery(
    parseQuery(query),
    synonyms,
    async (visit) => {
      for (const [number, { index: words }] of libraries.entries())
        await visit({ number, searched: null, words, members: [{ count: words.documentCount }] });
    },
  );
  const ranking = new RelevanceRanking();
  for (const [at, { index }] of libraries.entries()) {
    const words = { slots, find: postings.find.bind(postings, at) };
    if (mayMatch[at]) await withWordKeys(index, words, async (keys) => ranking.add(at, keys, null));
    else ranking.add(at, new Uint16Array(), null);
  }
  const { hits } = await ranking.page(
    [],
    { byWords: true, byMeaning: true },
    { offset: 0, limit: 1_000_000 },
  );
  return {
    hits: hits.map(({ target, document, score }) => ({ id: libraries[target]?.ids[document] ?? '', score })),
    corrections,
  };
}

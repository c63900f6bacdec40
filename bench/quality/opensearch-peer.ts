import { embeddingText } from '@bindery/contract/wire';
import { createEncoder, INCLUDED_MODEL } from '@bindery/encoder';
import { BOOST, FIELDS, LIMIT, type Peer, type PeerDocument } from './peers.ts';

const INDEX = 'bindery-quality-peer';

/**
 * OpenSearch over the same texts: BM25 of stemmed words with its own forgiveness of misspellings, and that fused with the
 * cosines of the included model's vectors, each side scaled to 0 to 1 and averaged, as its own hybrid queries do.
 */
export function openSearchPeers(url: string, documents: readonly PeerDocument[]): Record<string, Peer> {
  return {
    'OpenSearch, BM25': async (queries) => {
      const found = await byWords(url, documents, queries);
      return found.map((scores) => ranked(scores));
    },
    'OpenSearch, BM25 and vectors': async (queries) => {
      const found = await byWords(url, documents, queries);
      const near = await byVectors(documents, queries);
      return found.map((scores, at) => ranked(averaged([scores, near[at] as Scores])));
    },
  };
}

/** The score of each found document, by its key. */
type Scores = ReadonlyMap<string, number>;

async function byWords(
  url: string,
  documents: readonly PeerDocument[],
  queries: readonly string[],
): Promise<Scores[]> {
  const text = { type: 'text', analyzer: 'english' };
  const properties = {
    ...Object.fromEntries(FIELDS.map((field) => [field, text])),
    key: { type: 'keyword' },
  };
  await call(url, 'PUT', `/${INDEX}`, JSON.stringify({ mappings: { properties } }));
  try {
    const lines = documents
      .flatMap((document) => [{ index: {} }, document])
      .map((one) => JSON.stringify(one));
    await call(url, 'POST', `/${INDEX}/_bulk?refresh=true`, `${lines.join('\n')}\n`);
    const fields = FIELDS.map((field) => `${field}^${BOOST[field]}`);
    const found: Scores[] = [];
    for (const query of queries) {
      const match = { multi_match: { query, fields, fuzziness: 'AUTO' } };
      const body = JSON.stringify({ size: LIMIT, query: match, _source: ['key'] });
      const { hits } = (await call(url, 'POST', `/${INDEX}/_search`, body)) as Answer;
      found.push(new Map(hits.hits.map(({ _source, _score }) => [_source.key, _score])));
    }
    return found;
  } finally {
    await call(url, 'DELETE', `/${INDEX}`);
  }
}

interface Answer {
  hits: { hits: { _source: { key: string }; _score: number }[] };
}

async function call(url: string, method: string, path: string, body?: string): Promise<unknown> {
  const headers = { 'content-type': path.includes('_bulk') ? 'application/x-ndjson' : 'application/json' };
  const answer = await fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body }) });
  if (!answer.ok) throw new Error(`OpenSearch answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

async function byVectors(documents: readonly PeerDocument[], queries: readonly string[]): Promise<Scores[]> {
  const encoder = await createEncoder({ folder: '', model: INCLUDED_MODEL });
  const texts = documents.map(({ title, id, tags, description }) =>
    embeddingText({ title: title || id, tags: tags.split(' ').filter(Boolean), description }),
  );
  const vectors = await encoder.embedText(texts.map((text) => text ?? ''));
  const asked = await encoder.embedText(queries, { isQuery: true });
  await encoder.close();
  const cosine = (a: Float32Array, b: Float32Array) =>
    a.reduce((sum, value, at) => sum + value * (b[at] as number), 0);
  return asked.map((query) => {
    const scores = documents.map(({ key }, at) => [key, cosine(query, vectors[at] as Float32Array)] as const);
    return new Map(scores.sort(([, a], [, b]) => b - a).slice(0, LIMIT));
  });
}

/** The average of scores that are scaled to 0 to 1; what is found by one of them alone has 0 by the other. */
function averaged(sides: readonly Scores[]): Scores {
  const sums = new Map<string, number>();
  for (const scores of sides) {
    const least = Math.min(...scores.values());
    const span = Math.max(...scores.values()) - least || 1;
    for (const [key, score] of scores)
      sums.set(key, (sums.get(key) ?? 0) + (score - least) / span / sides.length);
  }
  return sums;
}

function ranked(scores: Scores): string[] {
  return [...scores].sort(([, a], [, b]) => b - a).map(([key]) => key);
}

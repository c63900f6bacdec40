import { embeddingText } from '@bindery/contract';
import { LRUCache } from 'lru-cache';
import type { SearchContext } from '../../context.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { openAssets } from '../describe-hits.ts';
import type { Proposal } from '../engine/propose.ts';
import type { DescribedAsset } from '../segments/segment-index.ts';
import type { Target } from '../targets.ts';
import { byCosine, type SemanticCandidate, type SemanticCandidates } from './candidates.ts';

/** How many of the assets that are closest in meaning are compared with the query word by word. */
const COMPARED = 40;

/** Texts of assets by their index and number, so that those that many searches come upon are read once; none of the longest, in characters. */
const texts = new LRUCache<string, string>({ max: 5_000 });
const MAX_KEPT_LENGTH = 2_000;

/**
 * Compares the query with the texts of the nearest candidates word by word, if the model does: the cosine, which is of
 * whole texts, is as high for what is about one word of the query alone as for what is about all of them.
 */
export async function compareNearest(
  context: SearchContext,
  { text, hits }: Pick<SemanticCandidates, 'text' | 'hits'>,
  searched: readonly Target[],
  proposed: Proposal | null,
): Promise<SemanticCandidate[]> {
  const compare = hits.length > 0 ? await context.encoder.compareWords(text) : null;
  if (compare === null) return hits;
  const nearest = hits.toSorted(byCosine).slice(0, COMPARED);
  await proposed?.load(nearest, false);
  const compared = new Map<SemanticCandidate, number>();
  for (const [target, own] of Map.groupBy(nearest, ({ target }) => target)) {
    const read = textsOf(context, target, searched[target] as Target, proposed);
    for (const candidate of own) {
      compared.set(candidate, compare(await read(candidate.document)));
      if (turnIsOver()) await nextTurn();
    }
  }
  return hits.map((candidate) => ({ ...candidate, wordByWord: compared.get(candidate) ?? 0 }));
}

/** Returns what reads the texts of a library's assets; what is gone has none. */
function textsOf(
  context: SearchContext,
  at: number,
  target: Target,
  proposed: Proposal | null,
): (document: number) => Promise<string> {
  const ofEngine = proposed?.assetsOf(at);
  if (ofEngine) return async (document) => textOf(await ofEngine.read(document));
  let opened: ReturnType<typeof openAssets> | null = null;
  return async (document) => {
    const key = `${target.row.index_sha256}/${document}`;
    const known = texts.get(key);
    if (known !== undefined) return known;
    opened ??= openAssets(context, target);
    const described = (await (await opened)?.read(document)) ?? null;
    const text = textOf(described);
    if (described && text.length <= MAX_KEPT_LENGTH) texts.set(key, text);
    return text;
  };
}

function textOf(described: DescribedAsset | null): string {
  return (described && embeddingText(described.card)) ?? '';
}

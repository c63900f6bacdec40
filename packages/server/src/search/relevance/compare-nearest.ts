import { embeddingText } from '@bindery/contract';
import { LRUCache } from 'lru-cache';
import type { SearchContext } from '../../context.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { openAssets } from '../describe-hits.ts';
import type { Proposal } from '../engine/propose.ts';
import type { DescribedAsset } from '../segments/segment-index.ts';
import type { Target } from '../targets.ts';
import { byCosine, type SemanticCandidate, type SemanticCandidates } from './candidates.ts';
import { contradictionOf, countsIn } from './counted-things.ts';

/** How many of the assets that are closest in meaning are compared with the query word by word. */
const COMPARED = 40;

/** The weight of what words say one by one; that of the cosine is 1. */
const WORD_BY_WORD_WEIGHT = 0.5;

/** What a query is compared with. */
interface Compared {
  text: string;
  /** What is known of how it moves, in which numbers of things are told as well. */
  articulation: string | null;
}

/** By index and number of the asset, so that those that many searches come upon are read once; none of the longest, in characters. */
const known = new LRUCache<string, Compared>({ max: 5_000 });
const MAX_KEPT_LENGTH = 2_000;

/**
 * Compares the query with the texts of the nearest candidates: word by word, if the model does, since the cosine, which
 * is of whole texts, is as high for what is about one word of the query alone as for what is about all of them; and by
 * how many of something both speak of, which no model tells apart.
 */
export async function compareNearest(
  context: SearchContext,
  { text, hits }: Pick<SemanticCandidates, 'text' | 'hits'>,
  searched: readonly Target[],
  proposed: Proposal | null,
): Promise<SemanticCandidate[]> {
  const compare = hits.length > 0 ? await context.encoder.compareWords(text) : null;
  const counts = countsIn(text);
  if (compare === null && (hits.length === 0 || counts.size === 0)) return hits;
  const nearest = hits.toSorted(byCosine).slice(0, COMPARED);
  await proposed?.load(nearest, false);
  const compared = new Map<SemanticCandidate, number>();
  for (const [target, own] of Map.groupBy(nearest, ({ target }) => target)) {
    const read = readerOf(context, target, searched[target] as Target, proposed);
    for (const candidate of own) {
      const asset = await read(candidate.document);
      const wordByWord = WORD_BY_WORD_WEIGHT * (compare?.(asset.text) ?? 0);
      const contradiction =
        counts.size === 0
          ? 0
          : contradictionOf(counts, countsIn(`${asset.text}\n${asset.articulation ?? ''}`));
      compared.set(candidate, wordByWord - contradiction * (candidate.cosine + wordByWord));
      if (turnIsOver()) await nextTurn();
    }
  }
  return hits.map((candidate) => ({ ...candidate, byTexts: compared.get(candidate) ?? 0 }));
}

/** Returns what reads the assets of a library; of what is gone nothing is known. */
function readerOf(
  context: SearchContext,
  at: number,
  target: Target,
  proposed: Proposal | null,
): (document: number) => Promise<Compared> {
  const ofEngine = proposed?.assetsOf(at);
  if (ofEngine) return async (document) => comparedOf(await ofEngine.read(document));
  let opened: ReturnType<typeof openAssets> | null = null;
  return async (document) => {
    const key = `${target.row.index_sha256}/${document}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    opened ??= openAssets(context, target);
    const described = (await (await opened)?.read(document)) ?? null;
    const compared = comparedOf(described);
    if (described && compared.text.length <= MAX_KEPT_LENGTH) known.set(key, compared);
    return compared;
  };
}

function comparedOf(described: DescribedAsset | null): Compared {
  const text = (described && embeddingText(described.card)) ?? '';
  return { text, articulation: described?.derived.articulation ?? null };
}

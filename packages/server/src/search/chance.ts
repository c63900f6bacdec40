import { LRUCache } from 'lru-cache';
import type { SearchContext } from '../context.ts';
import type { Encoder } from './encoder.ts';
import type { SearchedVectors } from './vectors/vector-search.ts';

/** What is near to these is so by chance. */
export const MEANINGLESS = ['xyzzyq', 'blorft wug', 'qwrtp zzkl', 'snarf gleeb tovu'];

/** Vectors are not more exact than this. */
export const TOLERANCE = 0.001;

/** How many revisions are remembered. */
const MAX_REMEMBERED = 10_000;

/** By the model, the index of a revision and the matrix of its vectors. */
const measured = new WeakMap<Encoder, LRUCache<string, number>>();

type ChanceContext = Pick<SearchContext, 'encoder' | 'vectors'>;

/**
 * Returns the cosine from which an asset of a library is related to a query: above that of any with a text that means
 * nothing. Measured once for each revision, with all of its vectors. 0 if the encoder cannot do so now.
 */
export async function cosineByChance(context: ChanceContext, vectors: SearchedVectors): Promise<number> {
  const { encoder } = context;
  const known = measured.get(encoder) ?? new LRUCache<string, number>({ max: MAX_REMEMBERED });
  measured.set(encoder, known);
  const key = `${encoder.model} ${vectors.indexSha256} ${vectors.matrixSha256}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const chance = await measure(context, { ...vectors, filter: null });
  if (chance !== null) known.set(key, chance);
  return chance ?? 0;
}

async function measure(
  { encoder, vectors }: ChanceContext,
  searched: SearchedVectors,
): Promise<number | null> {
  let most = 0;
  for (const text of MEANINGLESS) {
    const encoded = await encoder.encodeQuery(text);
    if (!encoded.ok || encoded.model !== encoder.model) return null;
    const { candidates } = await vectors.nearest(encoded.vector, [searched]);
    most = Math.max(most, candidates[0]?.cosine ?? 0);
  }
  return most + TOLERANCE;
}

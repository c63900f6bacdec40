import { setTimeout } from 'node:timers/promises';
import type { EncodedQuery, Encoder } from '../search/encoder.ts';

interface Patience {
  /** Milliseconds between two attempts. */
  pause?: number;
  /** Milliseconds after which a model counts as unable to load. */
  limit?: number;
}

/** Has a model encode a query. Unlike a search, it waits while the model is being loaded. */
export async function askModel(
  encoder: Pick<Encoder, 'encodeQuery'>,
  query: string,
  { pause = 100, limit = 60_000 }: Patience = {},
): Promise<EncodedQuery> {
  const end = performance.now() + limit;
  for (;;) {
    const encoded = await encoder.encodeQuery(query);
    if (encoded.ok || encoded.failure !== 'loading' || performance.now() >= end) return encoded;
    await setTimeout(pause);
  }
}

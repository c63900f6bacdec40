import type { ResponseOf, routes } from '@bindery/contract';
import type { Context } from '../context.ts';
import { ServiceError } from '../errors.ts';

/**
 * Encodes texts with the service's model, for clients that have none. Throws `unavailable` if the model cannot do it
 * just now.
 */
export async function encodeTexts(
  { encoder }: Context,
  texts: readonly string[],
): Promise<ResponseOf<typeof routes.search.encodeTexts>> {
  const encoded = await encoder.encodeTexts(texts);
  if (encoded.ok) return { model: encoded.model, vectors: encoded.vectors.map(toBase64) };
  if (encoded.failure === 'missing') return { model: null, vectors: [] };
  throw new ServiceError('unavailable', 'The model is busy or being loaded. Try again.', { retryAfter: 2 });
}

function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString('base64');
}

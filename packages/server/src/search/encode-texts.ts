import { LIMITS, type ResponseOf, type routes } from '@bindery/contract';
import type { SearchContext } from '../context.ts';
import { ServiceError } from '../errors.ts';

/**
 * Encodes texts with the service's model, for the sidecars of clients that have none; there is no model for them if its
 * vectors have another size. Throws `unavailable` if the model cannot do it just now.
 */
export async function encodeTexts(
  { encoder }: SearchContext,
  texts: readonly string[],
): Promise<ResponseOf<typeof routes.search.encodeTexts>> {
  const { facts } = encoder;
  if (facts !== null && facts.dim !== LIMITS.embedding.dimensions) return { model: null, vectors: [] };
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

import { embeddingText, LIMITS, routes } from '@bindery/contract/wire';
import type { LibraryClient } from '../client/call.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import type { RemoteLibrary } from '../library/read-library.ts';
import { type AssetVectors, type Row, type Sidecar, writeSidecar } from './sidecar.ts';
import {
  artifactsOf,
  declareVectors,
  type NextRevision,
  openLibraryVectors,
  type PreparedVectors,
} from './vectors.ts';

/**
 * Adds vectors of the texts that have none to a revision whose other vectors are carried over, encoded by the service's
 * model. Null if there is nothing to add: no text lacks one, the service has no model, or the library's vectors are of
 * another, which are not mixed.
 */
export async function encodeMissingTexts(
  client: LibraryClient,
  address: LibraryAddress,
  next: NextRevision,
  remote: RemoteLibrary | null,
  signal: AbortSignal | undefined,
): Promise<PreparedVectors | null> {
  const own = openLibraryVectors(client, address, remote, signal);
  const before = await own?.read();
  if (typeof before === 'string') return null;
  const kept =
    own && before
      ? own.selectValid(before, next.manifest, artifactsOf(next, remote))
      : new Map<string, AssetVectors>();
  const missing = next.manifest.assets.flatMap((asset) => {
    const text = embeddingText(asset);
    return text === null || kept.get(asset.id)?.text ? [] : [{ id: asset.id, text }];
  });
  const vectors = new Map(kept);
  let model: string | null = null;
  for (let at = 0; at < missing.length; at += LIMITS.embedding.texts) {
    const some = missing.slice(at, at + LIMITS.embedding.texts);
    const texts = some.map(({ text }) => [...text].slice(0, LIMITS.embedding.textLength).join(''));
    const encoded = await client.call(routes.search.encodeTexts, { body: { texts }, signal });
    if (encoded.model === null || encoded.model !== (model ?? before?.model ?? encoded.model)) return null;
    model = encoded.model;
    for (const [index, { id }] of some.entries()) {
      const text = rowFrom(encoded.vectors[index] ?? '');
      vectors.set(id, { image: kept.get(id)?.image ?? null, text });
    }
  }
  if (model === null) return null;
  const sidecar: Sidecar = { model, dim: LIMITS.embedding.dimensions, vectors };
  const sources = writeSidecar(sidecar);
  return { ...declareVectors(next.manifest, sources), report: null, warnings: [], lost: 0 };
}

/** Both are little-endian float32 numbers. */
function rowFrom(base64: string): Row {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

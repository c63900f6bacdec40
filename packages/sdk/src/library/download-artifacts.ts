import { hash } from 'node:crypto';
import { forEachBounded } from '@bindery/concurrency/for-each';
import type { ManifestFile } from '@bindery/contract';
import { LIMITS } from '@bindery/contract/wire';
import type { LibraryClient } from '../client/library-client.ts';
import { IntegrityError } from '../failures.ts';
import type { LibraryAddress } from './library-address.ts';
import { presign } from './read-library.ts';
import { RevisionSupersededError } from './revision-superseded.ts';

const CONCURRENCY = 8;

/**
 * Downloads platform artifacts into memory and returns their bytes by path. Throws `RevisionSupersededError` if the
 * library has different ones by now, and `IntegrityError` if bytes do not match their hash.
 */
export async function downloadArtifacts(
  client: LibraryClient,
  address: LibraryAddress,
  artifacts: readonly ManifestFile[],
  signal?: AbortSignal,
): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  for (let at = 0; at < artifacts.length; at += LIMITS.presignPaths) {
    const batch = artifacts.slice(at, at + LIMITS.presignPaths);
    const { files } = await presign(
      client,
      address,
      batch.map(({ path }) => path),
      signal,
    );
    const pairs = batch.map((wanted, index) => ({ wanted, offered: files[index] }));
    await forEachBounded(pairs, { concurrency: CONCURRENCY, signal }, async ({ wanted, offered }, signal) => {
      if (offered?.sha256 !== wanted.sha256) throw new RevisionSupersededError();
      const bytes = await client.download({ url: offered.url, signal }, wanted.size);
      if (hash('sha256', bytes) !== wanted.sha256) {
        throw new IntegrityError(`${wanted.path} does not match its hash`);
      }
      found.set(wanted.path, bytes);
    });
  }
  return found;
}

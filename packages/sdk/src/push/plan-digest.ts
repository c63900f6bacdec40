import { hash } from 'node:crypto';
import { formatLibraryAddress, type LibraryAddress } from '../library/library-address.ts';
import { writeManifest } from '../library/manifest.ts';
import type { RevisionPlan } from './plan-revision.ts';

/** Identifies one plan: the service, the library, the revision it follows, and every byte that would be published. */
export function planDigest(
  baseUrl: string,
  address: LibraryAddress,
  { head, manifest, newArtifacts }: Pick<RevisionPlan, 'head' | 'manifest' | 'newArtifacts'>,
): string {
  const library = [baseUrl, formatLibraryAddress(address), head?.row.revision ?? 0];
  const artifacts = newArtifacts.map(({ path, sha256 }) => [path, sha256]);
  return hash('sha256', JSON.stringify([...library, hash('sha256', writeManifest(manifest)), artifacts]));
}

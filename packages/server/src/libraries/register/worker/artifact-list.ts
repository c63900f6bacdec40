import type { StoredArtifact } from '../../../revision/encode-index.ts';

/*
 * Size and hash of every platform artifact of a revision. The manifest names artifacts by path alone, so that without
 * this list their index could not be built again. JSON: `[[path, size, sha256], …]`.
 */

/** Null for a revision without artifacts, which needs no list. */
export function writeArtifactList(artifacts: readonly StoredArtifact[]): Uint8Array<ArrayBuffer> | null {
  if (artifacts.length === 0) return null;
  const entries = artifacts.map(({ path, size, sha256 }) => [path, size, sha256]);
  return new TextEncoder().encode(JSON.stringify(entries));
}

export function readArtifactList(bytes: Uint8Array): StoredArtifact[] {
  const entries: [string, number, string][] = JSON.parse(new TextDecoder().decode(bytes));
  return entries.map(([path, size, sha256]) => ({ path, size, sha256 }));
}

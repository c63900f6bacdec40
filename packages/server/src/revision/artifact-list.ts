import type { StoredArtifact } from './encode-index.ts';

/*
 * Size and hash of every platform artifact of a revision. The manifest lists artifacts by path alone, so the index
 * could not be rebuilt without this list. JSON: `[[path, size, sha256], …]`.
 */

/** Null for a revision without artifacts. */
export function writeArtifactList(artifacts: readonly StoredArtifact[]): Uint8Array<ArrayBuffer> | null {
  if (artifacts.length === 0) return null;
  const entries = artifacts.map(({ path, size, sha256 }) => [path, size, sha256]);
  return new TextEncoder().encode(JSON.stringify(entries));
}

export function readArtifactList(bytes: Uint8Array): StoredArtifact[] {
  const entries: [string, number, string][] = JSON.parse(new TextDecoder().decode(bytes));
  return entries.map(([path, size, sha256]) => ({ path, size, sha256 }));
}

import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ManifestAsset, ManifestFile } from '@bindery/contract';
import type { LibraryClient } from '../client/library-client.ts';
import { TreeError } from '../failures.ts';
import { downloadArtifacts } from '../library/download-artifacts.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import type { UploadSource } from '../tree/upload-source.ts';
import { thumbnailHash } from './asset-content.ts';
import type { Picture } from './embed-assets.ts';
import type { NextRevision } from './next-revision.ts';

/** Returns a function that finds the thumbnail of an asset: just made, stored in the library, or in the folder. */
export function pictureFinder(
  client: LibraryClient,
  address: LibraryAddress,
  { root, newArtifacts }: Pick<NextRevision, 'newArtifacts'> & { root: string },
  artifacts: ReadonlyMap<string, ManifestFile>,
  signal: AbortSignal | undefined,
): (asset: ManifestAsset) => Picture | null {
  const sources = new Map(newArtifacts.map((source) => [source.path, source]));
  return (asset) => {
    const sha256 = thumbnailHash(asset, artifacts);
    const path = asset.thumbnail;
    if (sha256 === null || path === undefined) return null;
    const source = sources.get(path);
    if (source !== undefined) return { sha256, read: async () => bytesOf(source) };
    const held = artifacts.get(path);
    if (held === undefined) return { sha256, read: () => readAsHashed(join(root, path), path, sha256) };
    return { sha256, read: () => download(client, address, held, signal) };
  };
}

function bytesOf(source: UploadSource): Uint8Array {
  const bytes = new Uint8Array(source.size);
  const length = source.read(bytes);
  return bytes.subarray(0, length);
}

async function readAsHashed(place: string, path: string, sha256: string): Promise<Uint8Array> {
  const bytes = await readFile(place);
  if (hash('sha256', bytes) === sha256) return bytes;
  throw new TreeError(`${path} changed while it was being pushed; push again when nothing is writing to it`);
}

async function download(
  client: LibraryClient,
  address: LibraryAddress,
  artifact: ManifestFile,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const found = await downloadArtifacts(client, address, [artifact], signal);
  return found.get(artifact.path) ?? new Uint8Array();
}

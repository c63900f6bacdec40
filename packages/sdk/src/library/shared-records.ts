import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Manifest } from '@bindery/contract';
import { writeFileAtomically } from '../tree/files.ts';
import { formatLibraryAddress, type LibraryAddress } from './library-address.ts';
import { digestOf } from './manifest.ts';

/** Which revision a release names, and its manifest, which may be among the objects of the cache. */
export interface ReleaseHead {
  revision: number;
  /** Of the manifest's bytes, and how many these are. */
  sha256: string;
  size: number;
}

/**
 * What this machine last saw of releases and of single assets, in files that the Python package shares. One that is
 * damaged or cannot be written costs a request and nothing else.
 */
export class SharedRecords {
  readonly #cacheFolder: string;
  readonly #verify: boolean;

  /** With `verify` nothing is known of assets until a service has said it again. */
  constructor(cacheFolder: string, { verify = false }: { verify?: boolean | undefined } = {}) {
    this.#cacheFolder = cacheFolder;
    this.#verify = verify;
  }

  releaseHead(server: string, address: LibraryAddress): ReleaseHead | null {
    return read(this.#headFile(server, address)) as ReleaseHead | null;
  }

  writeReleaseHead(server: string, address: LibraryAddress, head: ReleaseHead): void {
    write(this.#headFile(server, address), head);
  }

  /** Returns a manifest of these assets alone, as the service has sent it; null unless all are known. */
  async assets(server: string, manifestSha256: string, ids: readonly string[]): Promise<Manifest | null> {
    const folder = assetTree(this.#cacheFolder, server, manifestSha256);
    const known = (this.#verify ? [] : ids).map((id) => read(recordFile(folder, id)) as AssetRecord | null);
    const [first] = known;
    if (!first || known.includes(null)) return null;
    const assets = known.flatMap((record) => record?.manifest.assets ?? []);
    const { checkManifest } = await import('./read-manifest.ts');
    return checkManifest({ ...first.manifest, assets });
  }

  writeAssets(server: string, manifestSha256: string, { assets, ...manifest }: Manifest): void {
    const folder = assetTree(this.#cacheFolder, server, manifestSha256);
    for (const asset of assets) {
      const record: AssetRecord = {
        digest: digestOf(asset.files),
        manifest: { ...manifest, assets: [asset] },
      };
      write(recordFile(folder, asset.id), record);
    }
  }

  #headFile(server: string, address: LibraryAddress): string {
    const at = server.replace(/[^\p{L}\p{N}.-]/gu, (letter) => `_${letter.codePointAt(0)?.toString(16)}_`);
    const name = `${formatLibraryAddress(address)}.json`;
    return join(this.#cacheFolder, 'assets/heads', at.slice(0, 200), at.slice(200), name);
  }
}

/** A manifest of one asset alone, and the digest of its files. */
interface AssetRecord {
  digest: string;
  manifest: Manifest;
}

/**
 * Returns the folder of the cache with the assets of a revision. Those of two services are apart, because each is filled
 * on the word of its own.
 */
export function assetTree(cacheFolder: string, server: string, manifestSha256: string): string {
  return join(cacheFolder, 'assets', hash('sha256', `${server} ${manifestSha256}`));
}

function recordFile(tree: string, id: string): string {
  return join(tree, '.bindery/assets', `${id}.json`);
}

function read(file: string): unknown {
  try {
    const [head, body = ''] = readFileSync(file, 'utf8').split('\n', 2);
    return head === checksum(body) ? JSON.parse(body) : null;
  } catch {
    return null;
  }
}

function write(file: string, value: unknown): void {
  const body = JSON.stringify(value);
  try {
    writeFileAtomically(file, `${checksum(body)}\n${body}`);
  } catch {
    // A cache that cannot be written costs transfers and nothing else.
  }
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, '0');
}

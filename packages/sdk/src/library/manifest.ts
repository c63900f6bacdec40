import { hash } from 'node:crypto';
import type { Manifest, ManifestAsset, ManifestFile } from '@bindery/contract';
import { digestText, formatDigest, LIMITS, manifestText } from '@bindery/contract/wire';
import type { StoredAsset } from '@bindery/formats';
import { TreeError } from '../failures.ts';

const distinctFiles = new WeakMap<readonly ManifestAsset[], ReadonlyMap<string, ManifestFile>>();

/** Returns every distinct file of these assets, by path. Of a list that was asked for before, the same. */
export function filesOf(assets: readonly ManifestAsset[]): ReadonlyMap<string, ManifestFile> {
  const known = distinctFiles.get(assets);
  if (known !== undefined) return known;
  const files = new Map<string, ManifestFile>();
  for (const asset of assets) {
    for (const file of asset.files) files.set(file.path, file);
  }
  distinctFiles.set(assets, files);
  return files;
}

/** Whether two assets have the same files. */
export function sameFiles(a: ManifestAsset, b: ManifestAsset): boolean {
  if (a.files.length !== b.files.length) return false;
  const isSame = (file: ManifestFile, at: number) =>
    file.path === b.files[at]?.path && file.sha256 === b.files[at]?.sha256;
  return a.files.every(isSame) || digestOf(a.files) === digestOf(b.files);
}

/** Returns the digest of a set of files, as search hits show it. */
export function digestOf(files: readonly ManifestFile[]): string {
  return formatDigest(hash('sha256', digestText(files)));
}

/** Returns the sizes of files in bytes, and their SHA-256, by path. */
export function sizesAndHashes(files: readonly ManifestFile[]): Pick<StoredAsset, 'sizes' | 'hashes'> {
  return {
    sizes: new Map(files.map(({ path, size }) => [path, size])),
    hashes: new Map(files.map(({ path, sha256 }) => [path, sha256])),
  };
}

export function findAsset({ assets }: Manifest, id: string): ManifestAsset | undefined {
  return assets.find((asset) => asset.id === id);
}

/** Returns the bytes of a manifest; equal manifests have equal bytes. */
export function writeManifest(manifest: Manifest): Uint8Array {
  return new TextEncoder().encode(manifestText(manifest));
}

/** Returns JSON in which equal values have equal texts, whatever the order of their keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, sortedKeys);
}

function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Throws `TreeError` for an invalid manifest. The service would refuse it too, but only after everything was sent. */
export async function refuseBrokenManifest(manifest: Manifest, text = manifestText(manifest)): Promise<void> {
  const { manifestTooLarge, validateManifestValue } = await import('@bindery/contract/manifest');
  const size = new TextEncoder().encode(text).byteLength;
  const verdict =
    size > LIMITS.manifest.bytes
      ? { ok: false as const, ...manifestTooLarge(size) }
      : validateManifestValue(JSON.parse(text));
  if (verdict.ok) return;
  const issues = verdict.issues.slice(0, 10).map(({ path, message }) => `${path}: ${message}`);
  throw new TreeError([`This manifest cannot be published (${verdict.code}):`, ...issues].join('\n  '));
}

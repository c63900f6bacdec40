import { hash } from 'node:crypto';
import type { Manifest, ManifestAsset, ManifestFile } from '@bindery/contract';
import { compareUtf8, digestText, formatDigest } from '@bindery/contract/wire';

/** Returns every distinct file of these assets, by path. */
export function filesOf(assets: readonly ManifestAsset[]): Map<string, ManifestFile> {
  const files = new Map<string, ManifestFile>();
  for (const asset of assets) {
    for (const file of asset.files) files.set(file.path, file);
  }
  return files;
}

/** Returns the digest of a set of files, as search hits show it. */
export function digestOf(files: readonly ManifestFile[]): string {
  return formatDigest(hash('sha256', digestText(files)));
}

export function findAsset({ assets }: Manifest, id: string): ManifestAsset | undefined {
  return assets.find((asset) => asset.id === id);
}

/** Returns the bytes of a manifest; equal manifests have equal bytes. */
export function writeManifest(manifest: Manifest): Uint8Array {
  return new TextEncoder().encode(manifestText(manifest));
}

/** Returns a manifest as JSON; equal manifests have equal texts. */
export function manifestText(manifest: Manifest): string {
  const { schema, library, assets, generated } = manifest;
  const ordered = {
    schema,
    library,
    assets: assets.toSorted((a, b) => compareUtf8(a.id, b.id)).map(orderFiles),
    generated: generated?.length ? generated.toSorted(compareUtf8) : undefined,
  };
  return JSON.stringify(ordered);
}

function orderFiles(asset: ManifestAsset): ManifestAsset {
  return { ...asset, files: asset.files.toSorted((a, b) => compareUtf8(a.path, b.path)) };
}

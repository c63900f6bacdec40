import { hash } from 'node:crypto';
import {
  compareUtf8,
  digestText,
  formatDigest,
  LIMITS,
  MANIFEST_SCHEMA,
  type Manifest,
  type ManifestAsset,
  type ManifestFile,
  parseStrictJson,
  validateManifestValue,
} from '@bindery/contract';
import { IntegrityError } from '../failures.ts';

/**
 * Reads a manifest as a server sent it. Throws `IntegrityError` for one that breaks a rule of the format, above all one
 * with paths that lead elsewhere.
 */
export function readManifest(bytes: Uint8Array): Manifest {
  if (bytes.byteLength > LIMITS.manifest.bytes)
    throw new IntegrityError('the manifest is larger than any may be');
  const verdict = validateManifestValue(withSchema(parseJson(bytes)));
  if (verdict.ok) return verdict.manifest;
  const issues = verdict.issues.slice(0, 5).map(({ path, message }) => `${path}: ${message}`);
  throw new IntegrityError(`the server's manifest breaks the rules of the format: ${issues.join('; ')}`);
}

/** Every distinct file of these assets by path. */
export function filesOf(assets: readonly ManifestAsset[]): Map<string, ManifestFile> {
  const files = new Map<string, ManifestFile>();
  for (const asset of assets) {
    for (const file of asset.files) files.set(file.path, file);
  }
  return files;
}

/** The digest of a set of files as search hits show it. */
export function digestOf(files: readonly ManifestFile[]): string {
  return formatDigest(hash('sha256', digestText(files)));
}

export function findAsset({ assets }: Manifest, id: string): ManifestAsset | undefined {
  return assets.find((asset) => asset.id === id);
}

/** The bytes of a manifest; equal manifests have equal bytes. */
export function writeManifest(manifest: Manifest): Uint8Array {
  return new TextEncoder().encode(manifestText(manifest));
}

/** A manifest as JSON; equal manifests have equal texts. */
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

function parseJson(bytes: Uint8Array): unknown {
  const parsed = parseStrictJson(bytes);
  if (parsed.ok) return parsed.value;
  const { pointer, message } = parsed.problem;
  throw new IntegrityError(
    `the server's manifest cannot be read: ${pointer === '' ? 'it' : pointer} ${message}`,
  );
}

/** The manifest of the earlier layout may leave its schema out. */
function withSchema(document: unknown): unknown {
  const silent = typeof document === 'object' && document !== null && !('schema' in document);
  return silent ? { schema: MANIFEST_SCHEMA, ...document } : document;
}

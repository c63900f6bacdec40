import { hash } from 'node:crypto';
import type { ManifestAsset, ManifestFile } from '@bindery/contract';

/**
 * Returns the text that an asset's text vector encodes: title, tags, description, in this order because models read
 * only the first few dozen words. Null if the asset has none of them.
 */
export function embeddingText({ title, tags, description }: ManifestAsset): string | null {
  const text = [title, tags?.join(', '), description]
    .map((part = '') => part.trim().replace(/[.\s]+$/, ''))
    .filter((part) => part !== '')
    .join('. ');
  return text === '' ? null : text;
}

/** Returns the hash of an asset's thumbnail, one of its files or a platform artifact; null if none is known. */
export function thumbnailHash(
  { thumbnail, files }: ManifestAsset,
  artifacts: ReadonlyMap<string, Pick<ManifestFile, 'sha256'>>,
): string | null {
  if (thumbnail === undefined) return null;
  const own = files.find(({ path }) => path === thumbnail);
  return (own ?? artifacts.get(thumbnail))?.sha256 ?? null;
}

export function textHash(asset: ManifestAsset): string | null {
  const text = embeddingText(asset);
  return text === null ? null : hash('sha256', text);
}

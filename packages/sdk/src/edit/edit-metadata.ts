import type { Manifest } from '@bindery/contract';
import { SOURCE_CURATION_PATH } from '@bindery/contract/wire';
import type { LibraryClient } from '../client/call.ts';
import { withMetadata } from '../curation/edits.ts';
import { AssetNotFoundError, ConflictError } from '../failures.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/library-address.ts';
import { canonicalJson, findAsset } from '../library/manifest.ts';
import { type EditOptions, type EditResult, editLibrary } from './edit-library.ts';

/** Metadata of an asset or a library that people can edit. Null, or no tags: nothing is stated. */
export interface Metadata {
  title: string | null;
  description: string | null;
  license: string | null;
  tags: readonly string[];
}

export interface MetadataEdit {
  /** The id of the asset; null for the library itself. */
  asset: string | null;
  /** As it was when the user began to edit it. */
  before: Metadata;
  after: Metadata;
}

const KEYS = ['title', 'description', 'license', 'tags'] as const;
type Key = (typeof KEYS)[number];

/**
 * Changes the metadata of an asset or the library, in the manifest and in `bindery.yml`, so that folders pulled later
 * have it too. Throws `ConflictError` if others have changed the same value since `before`, and `AssetNotFoundError`.
 */
export function editMetadata(
  client: LibraryClient,
  address: LibraryAddress,
  { asset, before, after }: MetadataEdit,
  options: EditOptions,
): Promise<EditResult> {
  const keys = KEYS.filter((key) => !isSame(before[key], after[key]));
  const values = Object.fromEntries(keys.map((key) => [key, emptyToUndefined(after[key])]));
  return editLibrary(
    client,
    address,
    (manifest) => {
      const changed = change(manifest, asset, formatLibraryAddress(address), (said) => {
        refuseConcurrentEdit(said, before, keys);
        return { ...said, ...values };
      });
      const generated = new Set([...(changed.generated ?? []), SOURCE_CURATION_PATH]);
      return {
        manifest: { ...changed, generated: [...generated] },
        files: [],
        editCuration: (text) => withMetadata(text, asset, values),
      };
    },
    options,
  );
}

type EditableFields = { [K in Key]?: unknown };

function change(
  manifest: Manifest,
  id: string | null,
  library: string,
  edit: <T extends EditableFields>(said: T) => T,
): Manifest {
  if (id === null) return { ...manifest, library: edit(manifest.library ?? {}) };
  if (findAsset(manifest, id) === undefined) throw new AssetNotFoundError(library, [id]);
  const assets = manifest.assets.map((asset) => (asset.id === id ? edit(asset) : asset));
  return { ...manifest, assets };
}

function refuseConcurrentEdit(said: EditableFields, before: Metadata, keys: readonly Key[]): void {
  const others = keys.filter((key) => !isSame(said[key], before[key]));
  if (others.length === 0) return;
  const now = others.map((key) => `${key} is now ${JSON.stringify(said[key] ?? null)}`);
  throw new ConflictError(`Somebody else changed this in the meantime: ${now.join(', ')}.`, others);
}

/** Returns undefined for empty values, which a manifest leaves out. */
function emptyToUndefined(value: unknown): unknown {
  const isNothing = value === null || value === '' || (Array.isArray(value) && value.length === 0);
  return isNothing ? undefined : value;
}

function isSame(a: unknown, b: unknown): boolean {
  return (
    canonicalJson(emptyToUndefined(a ?? null) ?? null) === canonicalJson(emptyToUndefined(b ?? null) ?? null)
  );
}

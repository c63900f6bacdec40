import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { assetId, sha256Hex, vocabularyToken } from '../name-schemas.ts';
import type { MANIFEST_SCHEMA } from '../names.ts';

/** Text of at most `max` characters (code points), without NUL and lone surrogates, which no store can hold. */
function text(max: number) {
  // Created lazily: formatting a number loads the data of all languages, which would slow every start of a program.
  const error = () => `at most ${max.toLocaleString('en')} characters of valid Unicode without NUL`;
  return z.string().refine((value) => isText(value, max), { error });
}

function isText(value: string, max: number): boolean {
  if (value.length > 2 * max || !value.isWellFormed() || value.includes('\0')) return false;
  return value.length <= max || [...value].length <= max;
}

const tags = z.array(text(64)).max(LIMITS.manifest.tags, { error: `at most ${LIMITS.manifest.tags} tags` });

export const manifestLibrary = z.strictObject({
  name: text(64).optional(),
  type: vocabularyToken.optional(),
  title: text(200).optional(),
  description: text(10_000).optional(),
  provider: text(200).optional(),
  homepage: text(500).optional(),
  license: text(120).optional(),
  tags: tags.optional(),
  upstream: z.strictObject({ repo: text(500).optional(), commit: text(128).optional() }).optional(),
});
/** The library block: catalog metadata, all of it optional. */
export type ManifestLibrary = z.infer<typeof manifestLibrary>;

export const manifestFile = z.strictObject({ path: z.string(), size: z.int().min(0), sha256: sha256Hex });
/** One file of an asset; `size` in bytes, `sha256` in lowercase hex. */
export type ManifestFile = z.infer<typeof manifestFile>;

export const manifestEntryPoint = z.strictObject({ kind: vocabularyToken.optional(), file: z.string() });
export type ManifestEntryPoint = z.infer<typeof manifestEntryPoint>;

/** An asset without `files`, `entryPoints` and `meta`, which can be very many or have free keys. */
export const manifestAssetFields = z.strictObject({
  id: assetId,
  title: text(200).optional(),
  description: text(2_000).optional(),
  category: vocabularyToken.optional(),
  kind: vocabularyToken.optional(),
  format: vocabularyToken.optional(),
  tags: tags.optional(),
  license: text(120).nullable().optional(),
  attribution: text(1_000).nullable().optional(),
  upstream: z.strictObject({ id: z.string().optional(), url: z.string().optional() }).optional(),
  entry: z.string().optional(),
  thumbnail: z.string().optional(),
});

export interface ManifestAsset extends z.infer<typeof manifestAssetFields> {
  files: ManifestFile[];
  /** Files that a viewer can open, by name. */
  entryPoints?: Record<string, ManifestEntryPoint> | undefined;
  /** Free-form; at most 8,192 bytes as JSON. */
  meta?: Record<string, unknown> | undefined;
}

/** The wire manifest, as the author wrote it: absent fields stay absent, and readers apply defaults. */
export interface Manifest {
  schema: typeof MANIFEST_SCHEMA;
  library?: ManifestLibrary | undefined;
  assets: ManifestAsset[];
  /** Paths of platform artifacts. */
  generated?: string[] | undefined;
}

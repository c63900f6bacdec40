import { LIMITS } from '../limits.ts';
import { checkConflicts, type DistinctFiles } from './conflicts.ts';
import type { ManifestError, ManifestIssue } from './issues.ts';
import { manifestError } from './issues.ts';
import { type ManifestLayout, withSchema } from './legacy.ts';
import { checkCounts, checkIds, checkPaths } from './rules.ts';
import type { Manifest } from './schema.ts';
import { checkSchema, checkShape } from './shape.ts';
import { parseStrictJson } from './strict-json.ts';

/** A valid manifest, with every distinct user file once. */
export interface ValidManifest extends DistinctFiles {
  ok: true;
  manifest: Manifest;
}

export type ManifestVerdict = ValidManifest | ({ ok: false } & ManifestError);

/**
 * Validates the bytes of a manifest. The first failing check in this order decides the code: size, JSON, schema, shape,
 * counts, paths, ids, conflicts. At most 100 issues of that one check are listed.
 */
export function validateManifest(bytes: Uint8Array, layout: ManifestLayout = 'current'): ManifestVerdict {
  if (bytes.byteLength > LIMITS.manifest.bytes) return refuse(manifestTooLarge(bytes.byteLength));
  const parsed = parseStrictJson(bytes);
  if (!parsed.ok) {
    const { kind, pointer, message } = parsed.problem;
    const code = kind === 'shape' ? 'manifest_invalid' : 'manifest_invalid_json';
    return refuse(manifestError(code, [{ path: pointer, message }]));
  }
  return validateManifestValue(parsed.value, layout);
}

/** Like `validateManifest`, for a document that is parsed already; size and JSON are not checked. */
export function validateManifestValue(value: unknown, layout: ManifestLayout = 'current'): ManifestVerdict {
  const document = layout === 'legacy' ? withSchema(value) : value;
  const misshapen = checkSchema(document) ?? checkShape(document, layout);
  if (misshapen !== null) return refuse(misshapen);
  const manifest = document as Manifest;
  const error = checkCounts(manifest) ?? checkPaths(manifest) ?? checkIds(manifest);
  if (error !== null) return refuse(error);
  const { error: conflict, ...distinct } = checkConflicts(manifest);
  return conflict === null ? { ok: true, manifest, ...distinct } : refuse(conflict);
}

/** Returns the error for a manifest of more bytes than are accepted. */
export function manifestTooLarge(size: number): ManifestError {
  const issue: ManifestIssue = {
    path: '',
    message: `the manifest has ${size} bytes; at most ${LIMITS.manifest.bytes} are accepted`,
  };
  return manifestError('manifest_too_large', [issue]);
}

function refuse(error: ManifestError): ManifestVerdict {
  return { ok: false, ...error };
}

import type { Manifest } from '@bindery/contract';
import { parseStrictJson, validateManifestValue } from '@bindery/contract/manifest';
import { LIMITS, MANIFEST_SCHEMA } from '@bindery/contract/wire';
import { IntegrityError } from '../failures.ts';

/**
 * Parses a manifest sent by a server. Throws `IntegrityError` if it breaks a rule of the format, above all if its paths
 * lead out of the folder.
 */
export function readManifest(bytes: Uint8Array): Manifest {
  if (bytes.byteLength > LIMITS.manifest.bytes)
    throw new IntegrityError('The manifest is larger than the maximum.');
  return checkManifest(withSchema(parseJson(bytes)));
}

/** Returns a manifest, or part of one, that a server sent. Throws `IntegrityError` if it breaks a rule of the format. */
export function checkManifest(value: unknown): Manifest {
  const verdict = validateManifestValue(value);
  if (verdict.ok) return verdict.manifest;
  const issues = verdict.issues.slice(0, 5).map(({ path, message }) => `${path}: ${message}`);
  throw new IntegrityError(`The server's manifest breaks the rules of the format: ${issues.join('; ')}.`);
}

function parseJson(bytes: Uint8Array): unknown {
  const parsed = parseStrictJson(bytes);
  if (parsed.ok) return parsed.value;
  const { pointer, message } = parsed.problem;
  throw new IntegrityError(
    `The server's manifest cannot be read: ${pointer === '' ? 'it' : pointer} ${message}.`,
  );
}

/** Manifests in the earlier layout may leave out their schema. */
function withSchema(document: unknown): unknown {
  const silent = typeof document === 'object' && document !== null && !('schema' in document);
  return silent ? { schema: MANIFEST_SCHEMA, ...document } : document;
}

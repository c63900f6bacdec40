import { describeReceived } from '../describe-received.ts';
import { LIMITS } from '../limits.ts';
import { checkConflicts, type DistinctFiles } from './conflicts.ts';
import { Issues, type ManifestError, type ManifestIssue, manifestError } from './issues.ts';
import { type ManifestLayout, withSchema } from './legacy.ts';
import { artifactPathProblem, userPathProblem } from './paths.ts';
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

/** Checks how many assets, file entries and generated paths there are. */
function checkCounts({ assets, generated = [] }: Manifest): ManifestError | null {
  const limits = LIMITS.manifest;
  if (assets.length > limits.assets) {
    return tooMany('manifest_too_many_assets', '/assets', 'assets', assets.length, limits.assets);
  }
  const files = assets.reduce((sum, asset) => sum + asset.files.length, 0);
  if (files > limits.files) {
    return tooMany('manifest_too_many_files', '/assets', 'file entries in all assets', files, limits.files);
  }
  if (generated.length > limits.generated) {
    const count = generated.length;
    return tooMany('manifest_too_many_generated', '/generated', 'generated paths', count, limits.generated);
  }
  return null;
}

function tooMany(code: ManifestError['code'], path: string, what: string, received: number, max: number) {
  return manifestError(code, [{ path, message: `at most ${max} ${what} (received ${received})` }]);
}

/** Checks that every path is canonical, and that only generated ones are in the reserved folder. */
function checkPaths({ assets, generated = [] }: Manifest): ManifestError | null {
  const issues = new Issues();
  for (const [asset, { files }] of assets.entries()) {
    for (let file = 0; file < files.length && !issues.full; file++) {
      const path = files[file]?.path ?? '';
      const problem = userPathProblem(path);
      if (problem === null) continue;
      issues.add(['assets', asset, 'files', file, 'path'], `${describeReceived(path)} ${problem}`);
    }
  }
  for (const [at, path] of generated.entries()) {
    const problem = artifactPathProblem(path);
    if (problem !== null) issues.add(['generated', at], `${describeReceived(path)} ${problem}`);
  }
  return issues.asError('manifest_invalid_path');
}

/** Checks that ids are unique across the library, case-sensitively. */
function checkIds({ assets }: Manifest): ManifestError | null {
  const issues = new Issues();
  const first = new Map<string, number>();
  for (const [at, { id }] of assets.entries()) {
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, at);
    else issues.add(['assets', at, 'id'], `"${id}" is already the id of /assets/${earlier}`);
  }
  return issues.asError('manifest_duplicate_id');
}

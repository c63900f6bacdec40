import type { z } from 'zod';
import { describeReceived } from '../describe-received.ts';
import { inputRule } from '../input-rules.ts';
import { LIMITS } from '../limits.ts';
import { MANIFEST_SCHEMA } from '../names.ts';
import { utf8Length } from '../utf8.ts';
import { Issues, type ManifestError, manifestError } from './issues.ts';
import type { ManifestLayout } from './legacy.ts';
import {
  type ManifestAsset,
  manifestAssetFields,
  manifestEntryPoint,
  manifestFile,
  manifestLibrary,
} from './schema.ts';

type Steps = readonly PropertyKey[];
type Fields = Record<string, unknown>;

const RULES = { error: inputRule };

const ROOT_KEYS = {
  current: new Set(['schema', 'library', 'assets', 'generated']),
  legacy: new Set(['schema', 'library', 'assets']),
};

/** Checks that the document declares itself a manifest of this version. */
export function checkSchema(document: unknown): ManifestError | null {
  const schema = isObject(document) ? document.schema : undefined;
  if (schema === MANIFEST_SCHEMA) return null;
  const message = `must be "${MANIFEST_SCHEMA}" (received ${describeReceived(schema)})`;
  return manifestError('manifest_bad_schema', [{ path: '/schema', message }]);
}

/** Checks keys, types, lengths, tokens, and references to missing files. */
export function checkShape(document: unknown, layout: ManifestLayout): ManifestError | null {
  const issues = new Issues();
  const root = document as Fields;
  for (const key of Object.keys(root)) {
    if (!ROOT_KEYS[layout].has(key)) issues.add([key], 'there is no such key');
  }
  if (root.library !== undefined) checkWith(manifestLibrary, root.library, ['library'], issues);
  const generated = checkGenerated(root.generated, issues);
  if (Array.isArray(root.assets)) {
    for (let at = 0; at < root.assets.length && !issues.full; at++) {
      checkAsset(root.assets[at], ['assets', at], generated, issues);
    }
  } else {
    issues.add(['assets'], `must be a list (received ${describeReceived(root.assets)})`);
  }
  return issues.asError('manifest_invalid');
}

function checkGenerated(generated: unknown, issues: Issues): ReadonlySet<unknown> {
  if (generated === undefined) return new Set();
  if (!Array.isArray(generated)) {
    issues.add(['generated'], `must be a list (received ${describeReceived(generated)})`);
    return new Set();
  }
  generated.forEach((path, at) => {
    if (typeof path !== 'string') {
      issues.add(['generated', at], `must be a path (received ${describeReceived(path)})`);
    }
  });
  return new Set(generated);
}

function checkAsset(asset: unknown, at: Steps, generated: ReadonlySet<unknown>, issues: Issues): void {
  if (!isObject(asset)) {
    issues.add(at, `must be an object (received ${describeReceived(asset)})`);
    return;
  }
  const { files, entryPoints, meta, ...fields } = asset;
  checkWith(manifestAssetFields, fields, at, issues);
  checkFiles(files, [...at, 'files'], issues);
  if (entryPoints !== undefined) checkEntryPoints(entryPoints, [...at, 'entryPoints'], issues);
  if (meta !== undefined) checkMeta(meta, [...at, 'meta'], issues);
  if (!issues.full) checkReferences(asset as Partial<ManifestAsset>, at, generated, issues);
}

function checkFiles(files: unknown, at: Steps, issues: Issues): void {
  if (!Array.isArray(files) || files.length === 0) {
    issues.add(at, `must be a list of at least one file (received ${describeReceived(files)})`);
    return;
  }
  for (let index = 0; index < files.length && !issues.full; index++) {
    const result = manifestFile.safeParse(files[index], RULES);
    if (!result.success) addIssues(result.error, files[index], [...at, index], issues);
  }
}

function checkEntryPoints(entryPoints: unknown, at: Steps, issues: Issues): void {
  if (!isObject(entryPoints)) {
    issues.add(at, `must be an object (received ${describeReceived(entryPoints)})`);
    return;
  }
  const entries = Object.entries(entryPoints);
  const max = LIMITS.manifest.entryPoints;
  if (entries.length > max) issues.add(at, `at most ${max} entry points (received ${entries.length})`);
  for (const [name, entryPoint] of entries) {
    if (issues.full) return;
    if (name === '' || name.length > 64) issues.add([...at, name], 'a name has 1 to 64 characters');
    checkWith(manifestEntryPoint, entryPoint, [...at, name], issues);
  }
}

function checkMeta(meta: unknown, at: Steps, issues: Issues): void {
  if (!isObject(meta)) {
    issues.add(at, `must be an object (received ${describeReceived(meta)})`);
    return;
  }
  const bytes = utf8Length(JSON.stringify(meta));
  const max = LIMITS.manifest.metaBytes;
  if (bytes > max) issues.add(at, `at most ${max} bytes as JSON (received ${bytes})`);
}

/** Checks that references are to files of the asset itself; a thumbnail can also be a platform artifact. */
function checkReferences(
  asset: Partial<ManifestAsset>,
  at: Steps,
  generated: ReadonlySet<unknown>,
  issues: Issues,
): void {
  const { files, entry, thumbnail, entryPoints } = asset;
  if (!Array.isArray(files)) return;
  const isOwn = (path: unknown) => files.some((file) => file?.path === path);
  if (typeof entry === 'string' && !isOwn(entry)) {
    issues.add([...at, 'entry'], `must be one of the asset's files (received ${describeReceived(entry)})`);
  }
  if (typeof thumbnail === 'string' && !isOwn(thumbnail) && !generated.has(thumbnail)) {
    const rule = "must be one of the asset's files or of the generated paths";
    issues.add([...at, 'thumbnail'], `${rule} (received ${describeReceived(thumbnail)})`);
  }
  if (!isObject(entryPoints)) return;
  for (const [name, entryPoint] of Object.entries(entryPoints)) {
    if (issues.full) return;
    const { file } = (entryPoint ?? {}) as Partial<{ file: unknown }>;
    if (typeof file === 'string' && !isOwn(file)) {
      const message = `must be one of the asset's files (received ${describeReceived(file)})`;
      issues.add([...at, 'entryPoints', name, 'file'], message);
    }
  }
}

function checkWith(schema: z.ZodType, value: unknown, at: Steps, issues: Issues): void {
  const result = schema.safeParse(value, RULES);
  if (!result.success) addIssues(result.error, value, at, issues);
}

function addIssues(error: z.ZodError, value: unknown, at: Steps, issues: Issues): void {
  for (const issue of error.issues) {
    if (issues.full) return;
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) issues.add([...at, ...issue.path, key], 'there is no such key');
      continue;
    }
    const received = issue.path.reduce<unknown>((part, step) => (part as Fields)?.[String(step)], value);
    issues.add([...at, ...issue.path], `${issue.message} (received ${describeReceived(received)})`);
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import { sha256Hex, validateManifest } from '@bindery/contract';
import { readArtifactList } from '../../../revision/artifact-list.ts';
import { encodeRevisionIndex, type StoredArtifact } from '../../../revision/encode-index.ts';
import { FileClosure } from '../../../revision/file-closure.ts';
import type { LocalFiles } from '../../../revision/local-files.ts';
import { decodeSections, joinSections } from '../../../revision/sections.ts';
import type { RebuildJob, RebuildOutcome } from '../revision-workers.ts';
import { declaredArtifacts, resolveArtifacts } from './declared-artifacts.ts';
import { readIfThere, readNamed } from './read-named.ts';

/**
 * Rebuilds the index of a registered revision. The same manifest and artifacts produce the same bytes, so the hash
 * usually stays the same. Takes seconds for large manifests.
 */
export function rebuildIndex(
  files: LocalFiles,
  { manifest: source, artifactList, damagedIndexFile }: RebuildJob,
): RebuildOutcome {
  const bytes = readNamed(files, source);
  const verdict = bytes && validateManifest(bytes, source.layout);
  if (!verdict?.ok) return { kind: 'damaged' };
  const declared = declaredArtifacts(verdict.manifest, verdict.files, source.layout);
  const list = artifactList && readNamed(files, artifactList);
  const artifacts = list ? readArtifactList(list) : salvageArtifacts(files, damagedIndexFile, declared.paths);
  const { stored, missing } = resolveArtifacts(declared, artifacts, null);
  const index = joinSections(encodeRevisionIndex(verdict, stored));
  return { kind: 'rebuilt', index, missingArtifacts: missing };
}

/** The artifacts that can still be read from a damaged index. */
function salvageArtifacts(files: LocalFiles, file: string, paths: readonly string[]): StoredArtifact[] {
  const bytes = readIfThere(files, file);
  const closure = bytes && unlessBroken(() => new FileClosure(decodeSections(bytes)));
  if (!closure) return [];
  return paths.flatMap((path) => unlessBroken(() => readArtifact(closure, path)) ?? []);
}

function readArtifact(closure: FileClosure, path: string): StoredArtifact | null {
  const file = closure.find(path);
  if (!file?.platform || !Number.isSafeInteger(file.size) || file.size < 0) return null;
  return sha256Hex.safeParse(file.sha256).success ? { path, size: file.size, sha256: file.sha256 } : null;
}

/** Returns null if `read` throws: reading damaged data can fail in any way. */
function unlessBroken<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}

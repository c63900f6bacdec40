import {
  LIMITS,
  type Manifest,
  type ManifestFile,
  type ManifestLayout,
  sortedByUtf8,
} from '@bindery/contract';
import type { StoredArtifact } from '../../../revision/encode-index.ts';
import type { FileClosure } from '../../../revision/file-closure.ts';
import { SIDECAR_PATHS } from '../../../revision/vectors/sidecar-paths.ts';
import type { MissingPaths } from '../revision-workers.ts';

export interface DeclaredArtifacts {
  paths: string[];
  required: boolean;
}

/** The legacy layout declares no artifacts: the sidecar next to `assets.json` counts if it exists. */
export function declaredArtifacts(
  { generated = [] }: Manifest,
  files: readonly ManifestFile[],
  layout: ManifestLayout,
): DeclaredArtifacts {
  if (layout === 'current') return { paths: sortedByUtf8(new Set(generated)), required: true };
  const { document, matrix } = SIDECAR_PATHS.legacy;
  const isUserFile = files.some(({ path }) => path === document || path === matrix);
  return { paths: isUserFile ? [] : [document, matrix], required: false };
}

/** What the client uploaded or named takes precedence over an earlier index. */
export function resolveArtifacts(
  declared: DeclaredArtifacts,
  candidates: readonly StoredArtifact[],
  earlier: FileClosure | null,
): { stored: StoredArtifact[]; missing: MissingPaths } {
  const known = new Map(candidates.map((artifact) => [artifact.path, artifact]));
  const stored: StoredArtifact[] = [];
  const missing: string[] = [];
  for (const path of declared.paths) {
    const artifact = known.get(path) ?? earlierArtifact(earlier, path);
    if (artifact) stored.push(artifact);
    else if (declared.required) missing.push(path);
  }
  return { stored, missing: { paths: missing.slice(0, LIMITS.listedPaths), total: missing.length } };
}

function earlierArtifact(earlier: FileClosure | null, path: string): StoredArtifact | null {
  const file = earlier?.find(path);
  return file?.platform ? { path, size: file.size, sha256: file.sha256 } : null;
}

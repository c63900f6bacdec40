import {
  DEFAULT_KIND,
  effectiveLicense,
  type Manifest,
  type ManifestFile,
  type ManifestLayout,
  sortedByUtf8,
  validateManifest,
} from '@bindery/contract';
import { unpackList } from '../../../process/packed-list.ts';
import { writeArtifactList } from '../../../revision/artifact-list.ts';
import { compareAssets } from '../../../revision/asset-changes.ts';
import { haveSameAssets } from '../../../revision/asset-table.ts';
import { encodeRevisionIndex } from '../../../revision/encode-index.ts';
import { FileClosure } from '../../../revision/file-closure.ts';
import type { LocalFiles } from '../../../revision/local-files.ts';
import { decodeSections, joinSections } from '../../../revision/sections.ts';
import { SIDECAR_PATHS } from '../../../revision/vectors/sidecar-paths.ts';
import type { Aggregates, BuildJob, BuildOutcome, BuiltRevision } from '../revision-workers.ts';
import { declaredArtifacts, resolveArtifacts } from './declared-artifacts.ts';
import { placesOfNewContent } from './new-content.ts';
import { readNamed } from './read-named.ts';

/** Reads and validates a manifest and builds its revision index. Takes seconds for large manifests. */
export function buildRevision(
  files: LocalFiles,
  { manifest: source, previousIndex, artifacts }: BuildJob,
): BuildOutcome {
  const bytes = readNamed(files, source);
  if (bytes === null) return { kind: 'damaged' };
  const verdict = validateManifest(bytes, source.layout);
  if (!verdict.ok) return { kind: 'refused', error: { code: verdict.code, issues: verdict.issues } };
  const previousBytes = previousIndex && readNamed(files, previousIndex);
  if (previousIndex && !previousBytes) return { kind: 'previous-damaged' };

  const before = previousBytes && decodeSections(previousBytes);
  const previous = before && new FileClosure(before);
  const { manifest, files: userFiles } = verdict;
  const declared = declaredArtifacts(manifest, userFiles, source.layout);
  const { stored, missing } = resolveArtifacts(declared, unpackList(artifacts), previous);
  const sections = encodeRevisionIndex(verdict, stored);
  const closure = new FileClosure(sections);
  return {
    kind: 'built',
    revision: {
      library: manifest.library ?? {},
      aggregates: aggregate(manifest, userFiles),
      assetChanges: compareAssets(before, sections),
      cover: coverOf(manifest, closure),
      sidecar: sidecarOf(
        closure,
        previous,
        source.layout,
        before !== null && haveSameAssets(before, sections),
      ),
      index: joinSections(sections),
      artifactList: writeArtifactList(stored),
      added: placesOfNewContent(closure, previous),
      missingArtifacts: missing,
    },
  };
}

function aggregate({ assets, library }: Manifest, files: readonly ManifestFile[]): Aggregates {
  const categories = new Set<string>();
  const kinds = new Set<string>();
  const licenses = new Set<string>();
  for (const asset of assets) {
    const license = effectiveLicense(asset, library);
    if (asset.category !== undefined) categories.add(asset.category);
    if (license !== null) licenses.add(license);
    kinds.add(asset.kind ?? DEFAULT_KIND);
  }
  return {
    assetCount: assets.length,
    fileCount: files.length,
    totalBytes: files.reduce((sum, { size }) => sum + size, 0),
    categories: sortedByUtf8(categories),
    kinds: sortedByUtf8(kinds),
    licenses: sortedByUtf8(licenses),
  };
}

/** The first thumbnail of the manifest represents the library. */
function coverOf({ assets }: Manifest, closure: FileClosure): BuiltRevision['cover'] {
  for (const { thumbnail } of assets) {
    const file = thumbnail === undefined ? null : closure.find(thumbnail);
    if (file) return { path: file.path, sha256: file.sha256 };
  }
  return null;
}

/** If only one half of the sidecar is stored, returns its path: it cannot be used. */
function sidecarOf(
  closure: FileClosure,
  previous: FileClosure | null,
  layout: ManifestLayout,
  sameAssets: boolean,
): BuiltRevision['sidecar'] {
  const paths = SIDECAR_PATHS[layout];
  const document = closure.find(paths.document);
  const matrix = closure.find(paths.matrix);
  if (!document || !matrix) {
    const half = document ?? matrix;
    return half && { half: half.path };
  }
  const unchanged = [document, matrix].every(({ path, sha256 }) => previous?.find(path)?.sha256 === sha256);
  return { document, matrix, unchanged, sameAssets };
}

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  DEFAULT_KIND,
  effectiveLicense,
  LEGACY_VECTORS_INDEX_PATH,
  LEGACY_VECTORS_MATRIX_PATH,
  LIMITS,
  type Manifest,
  type ManifestFile,
  type ManifestLayout,
  sortedByUtf8,
  VECTORS_INDEX_PATH,
  VECTORS_MATRIX_PATH,
  validateManifest,
} from '@bindery/contract';
import { unpackList } from '../../service/packed-list.ts';
import { haveSameAssets } from '../revision/asset-table.ts';
import { buildRevisionIndex, type StoredArtifact } from '../revision/build-revision-index.ts';
import { FileClosure } from '../revision/file-closure.ts';
import { decodeSections, encodeSections } from '../revision/sections.ts';
import { placesOfNewContent } from './new-content.ts';
import type { Aggregates, BuildJob, BuildOutcome, BuiltRevision } from './revision-builder.ts';

const SIDECAR_PATHS = {
  current: { document: VECTORS_INDEX_PATH, matrix: VECTORS_MATRIX_PATH },
  legacy: { document: LEGACY_VECTORS_INDEX_PATH, matrix: LEGACY_VECTORS_MATRIX_PATH },
};

/** Reads and judges a manifest and builds its revision index. Takes seconds for large ones: runs on a thread. */
export function buildRevision({ manifest: source, previousIndexFile, artifacts }: BuildJob): BuildOutcome {
  const bytes = readIfThere(source.file);
  if (bytes === null || hash('sha256', bytes) !== source.sha256) return { kind: 'damaged' };
  const verdict = validateManifest(bytes, source.layout);
  if (!verdict.ok) return { kind: 'refused', error: { code: verdict.code, issues: verdict.issues } };

  const before = previousIndexFile === null ? null : decodeSections(readFileSync(previousIndexFile));
  const previous = before && new FileClosure(before);
  const { manifest, files } = verdict;
  const declared = declaredArtifacts(manifest, files, source.layout);
  const { stored, missing } = resolveArtifacts(declared, unpackList(artifacts), previous);
  const sections = buildRevisionIndex(verdict, stored);
  const closure = new FileClosure(sections);
  return {
    kind: 'built',
    revision: {
      library: manifest.library ?? {},
      aggregates: aggregate(manifest, files),
      cover: coverOf(manifest, closure),
      sidecar: sidecarOf(
        closure,
        previous,
        source.layout,
        before !== null && haveSameAssets(before, sections),
      ),
      index: joined(encodeSections(sections)),
      added: placesOfNewContent(closure, previous),
      missingArtifacts: missing,
    },
  };
}

function readIfThere(file: string): Uint8Array | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** In the legacy layout nothing is declared: the sidecar beside `assets.json` counts when it is there. */
function declaredArtifacts(
  { generated = [] }: Manifest,
  files: readonly ManifestFile[],
  layout: ManifestLayout,
): { paths: string[]; required: boolean } {
  if (layout === 'current') return { paths: sortedByUtf8(new Set(generated)), required: true };
  const { document, matrix } = SIDECAR_PATHS.legacy;
  const isUserFile = files.some(({ path }) => path === document || path === matrix);
  return { paths: isUserFile ? [] : [document, matrix], required: false };
}

/** What the client uploaded or named comes before what the previous revision held. */
function resolveArtifacts(
  declared: { paths: string[]; required: boolean },
  candidates: readonly StoredArtifact[],
  previous: FileClosure | null,
): { stored: StoredArtifact[]; missing: BuiltRevision['missingArtifacts'] } {
  const known = new Map(candidates.map((artifact) => [artifact.path, artifact]));
  const stored: StoredArtifact[] = [];
  const missing: string[] = [];
  for (const path of declared.paths) {
    const artifact = known.get(path) ?? previousArtifact(previous, path);
    if (artifact) stored.push(artifact);
    else if (declared.required) missing.push(path);
  }
  return { stored, missing: { paths: missing.slice(0, LIMITS.listedPaths), total: missing.length } };
}

function previousArtifact(previous: FileClosure | null, path: string): StoredArtifact | null {
  const file = previous?.find(path);
  return file?.platform ? { path, size: file.size, sha256: file.sha256 } : null;
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

/** The first thumbnail in the order of the manifest stands for the library. */
function coverOf({ assets }: Manifest, closure: FileClosure): BuiltRevision['cover'] {
  for (const { thumbnail } of assets) {
    const file = thumbnail === undefined ? null : closure.find(thumbnail);
    if (file) return { path: file.path, sha256: file.sha256 };
  }
  return null;
}

/** Half a pair counts as neither. */
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

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let end = 0;
  for (const piece of pieces) {
    bytes.set(piece, end);
    end += piece.byteLength;
  }
  return bytes;
}

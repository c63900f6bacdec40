import { hash } from 'node:crypto';
import {
  composeManifest,
  LIMITS,
  type Manifest,
  type ManifestFile,
  type ManifestLayout,
  manifestText,
  sha256Hex,
  sortedByUtf8,
  validateManifest,
} from '@bindery/contract';
import { isLost } from '../../../objects/damaged.ts';
import { unpackList } from '../../../process/packed-list.ts';
import { AssetTable, compareAssets, haveSameAssets, openLibrary } from '../../../revision/asset-table.ts';
import { applyDifferences, writeDifferences } from '../../../revision/differences.ts';
import {
  encodeRevisionIndex,
  readArtifactList,
  type StoredArtifact,
  writeArtifactList,
} from '../../../revision/encode-index.ts';
import { FileClosure } from '../../../revision/file-closure.ts';
import { type Facet, KeywordIndex } from '../../../revision/keywords/keyword-index.ts';
import type { LocalFiles } from '../../../revision/local-files.ts';
import { decodeSections, joinSections, type Sections } from '../../../revision/sections.ts';
import { SIDECAR_PATHS } from '../../../revision/vectors/sidecar.ts';
import type {
  Aggregates,
  BuildJob,
  BuildOutcome,
  BuiltRevision,
  ChangeJob,
  ChangeOutcome,
  MissingPaths,
  NamedFile,
  RebuildJob,
  RebuildOutcome,
} from '../revision-workers.ts';
import { changeManifest } from './change-manifest.ts';

/** Reads and validates a manifest and builds its revision index. Takes seconds for large manifests. */
export function buildRevision(
  files: LocalFiles,
  { manifest: source, previous: earlier, artifacts, cover }: BuildJob,
): BuildOutcome {
  const bytes = readNamed(files, source);
  if (bytes === null) return { kind: 'damaged' };
  const verdict = validateManifest(bytes, source.layout);
  if (!verdict.ok) return { kind: 'refused', error: { code: verdict.code, issues: verdict.issues } };
  const previousBytes = earlier && readNamed(files, earlier.index);
  if (earlier && !previousBytes) return { kind: 'previous-damaged' };

  const before = previousBytes && decodeSections(previousBytes);
  const previous = before && new FileClosure(before);
  const { manifest, files: userFiles } = verdict;
  const declared = declaredArtifacts(manifest, userFiles, source.layout);
  const { stored, missing } = resolveArtifacts(declared, unpackList(artifacts), previous);
  const sections = encodeRevisionIndex(verdict, stored);
  const previousManifest = earlier?.manifest && readNamed(files, earlier.manifest);
  return {
    kind: 'built',
    revision: {
      ...describeRevision(before, sections, source.layout, cover),
      differences:
        before && previousManifest
          ? writeDifferences({ bytes: previousManifest, sections: before }, { bytes, sections })
          : null,
      missingArtifacts: missing,
    },
  };
}

/** Returns what follows from the index of a revision, and from that of the one before. */
export function describeRevision(
  before: Sections | null,
  sections: Sections,
  layout: ManifestLayout,
  chosenCover: string | null,
): Omit<BuiltRevision, 'differences' | 'missingArtifacts'> {
  const closure = new FileClosure(sections);
  const previous = before && new FileClosure(before);
  const sameAssets = before !== null && haveSameAssets(before, sections);
  const assets = new AssetTable(sections);
  const cover = assets.cover(chosenCover);
  return {
    library: openLibrary(sections) ?? {},
    aggregates: aggregate(sections),
    cover: cover === null ? null : { path: closure.paths.at(cover), sha256: closure.sha256(cover) },
    thumbnails: firstThumbnails(assets, closure),
    assetChanges: compareAssets(before, sections),
    sidecar: sidecarOf(closure, previous, layout, sameAssets),
    index: joinSections(sections),
    artifactList: writeArtifactList(closure),
    added:
      previous?.placesOfNewContent(closure) ??
      Uint32Array.from({ length: closure.count }, (_, place) => place),
  };
}

function firstThumbnails(assets: AssetTable, closure: FileClosure): string[] {
  const found = new Set<string>();
  for (const place of assets.thumbnails()) {
    if (found.size === LIMITS.libraryThumbnails) break;
    found.add(closure.sha256(place));
  }
  return [...found];
}

function aggregate(sections: Sections): Aggregates {
  const closure = new FileClosure(sections);
  const keywords = new KeywordIndex(sections);
  const valuesOf = (facet: Facet) => [...keywords.count(facet, null).keys()];
  let [fileCount, totalBytes] = [0, 0];
  for (let place = 0; place < closure.count; place++) {
    if (closure.isPlatform(place)) continue;
    fileCount += 1;
    totalBytes += closure.size(place);
  }
  return {
    assetCount: keywords.documentCount,
    fileCount,
    totalBytes,
    categories: valuesOf('category'),
    kinds: valuesOf('kind'),
    licenses: valuesOf('license'),
  };
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

/** Applies changes to the manifest of a registered revision. */
export function changeRevision(files: LocalFiles, { manifest, changes }: ChangeJob): ChangeOutcome {
  const bytes = readNamed(files, manifest);
  if (bytes === null) return { kind: 'damaged' };
  if (changes.of === 'differences')
    return unlessBroken(() => changedBack(files, bytes, changes.files)) ?? { kind: 'damaged' };
  const before: Manifest = JSON.parse(new TextDecoder().decode(bytes));
  const { manifest: changed, artifacts } =
    changes.of === 'files'
      ? changeManifest(before, unpackList(changes.files))
      : { manifest: composeManifest(before, changes.entries), artifacts: [] };
  return changedTo(new TextEncoder().encode(manifestText(changed)), artifacts);
}

function changedBack(
  files: LocalFiles,
  manifest: Uint8Array,
  differences: readonly NamedFile[],
): ChangeOutcome {
  let made = manifest;
  for (const named of differences) {
    const bytes = readNamed(files, named);
    if (bytes === null) return { kind: 'damaged' };
    made = applyDifferences(made, bytes);
  }
  return changedTo(new Uint8Array(made), []);
}

function changedTo(manifest: Uint8Array, artifacts: ManifestFile[]): ChangeOutcome {
  return { kind: 'changed', manifest, sha256: hash('sha256', manifest), artifacts };
}

interface DeclaredArtifacts {
  paths: string[];
  required: boolean;
}

/** The legacy layout declares no artifacts: the sidecar next to `assets.json` counts if it exists. */
function declaredArtifacts(
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

/** The bytes of a file; null if it is missing or does not match its hash. */
export function readNamed(files: LocalFiles, { file, sha256 }: NamedFile): Uint8Array | null {
  const bytes = readIfThere(files, file);
  return bytes !== null && hash('sha256', bytes) === sha256 ? bytes : null;
}

function readIfThere(files: LocalFiles, file: string): Uint8Array | null {
  try {
    return files.read(file);
  } catch (error) {
    if (isLost(error)) return null;
    throw error;
  }
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { inflateSync } from 'node:zlib';
import { forEachBounded } from '@bindery/concurrency/for-each';
import { effectiveLicense } from '@bindery/contract/wire';
import {
  expandXacro,
  extensionOf,
  imageSize,
  isPicture,
  macroFiles,
  meshDamage,
  writeExpanded,
} from '@bindery/formats';
import { type CheckCode, type Problem, problem, type Severity } from '../curation/check-codes.ts';
import type { DiscoveredAsset } from '../discovery/discovered-library.ts';
import { isSpdxExpression } from '../discovery/license/spdx-expressions.ts';
import type { DiscoveredFolder } from '../local-discovery/discover-library.ts';
import { readPart } from '../tree/files.ts';
import { unportablePaths } from '../tree/names.ts';
import { checkMeshScale } from './meshes.ts';
import { examineModels, type ModelChecks, type ModelSimulation } from './models.ts';
import { checkPhysics } from './physics.ts';

export interface CheckReport {
  assets: number;
  /** Sorted by severity, asset, file, line and code; without those that `bindery.yml` accepts. */
  problems: Problem[];
  accepted: number;
  /** Of models of robots, if they were simulated, sorted by asset and file. */
  simulations: (ModelSimulation & { asset: string })[];
}

export interface CheckOptions {
  /** Whether models of robots are simulated too, which takes as long as all the rest. */
  isSimulated?: boolean;
  signal?: AbortSignal | undefined;
}

const MAX_TEXTURE_SIDE = 8_192;
const MAX_MESH_BYTES = 256 * 1024 * 1024;
const MESHES: ReadonlySet<string> = new Set([
  'stl',
  'obj',
  'ply',
  'glb',
  'vrm',
  'dae',
  'fbx',
  '3mf',
  'wrl',
  'off',
  'pcd',
]);
const PICTURE_HEAD = 64 * 1024;
const PICTURES: ReadonlySet<string> = new Set(['png', 'jpg', 'jpeg', 'tga', 'dds', 'ktx2', 'exr', 'hdr']);

/**
 * Checks the assets of a folder. If `models` is null, nothing is compiled or validated. Rejects with the signal's reason
 * once it aborts; whoever owns `models` ends the checks that are running.
 */
export async function checkLibrary(
  found: DiscoveredFolder,
  models: ModelChecks | null,
  { isSimulated = false, signal }: CheckOptions = {},
): Promise<CheckReport> {
  /** Why meshes show nothing, by path: assets can share them. */
  const damages = new Map<string, string | undefined>();
  const problems: Problem[] = nameProblems(found);
  const simulations: CheckReport['simulations'] = [];
  for (const asset of found.assets) {
    problems.push(
      ...referenceProblems(asset, found),
      ...metadataProblems(asset, found),
      ...fileProblems(asset, found, damages),
    );
    // Lets signals arrive.
    await setImmediate();
    signal?.throwIfAborted();
  }
  if (models !== null) {
    await forEachBounded(found.assets, { concurrency: models.concurrency, signal }, async (asset) => {
      const seen = await examineModels(asset, found, models, isSimulated);
      problems.push(...seen.problems);
      simulations.push(...seen.simulations);
    });
  }
  const accepted = new Set<string>(found.acceptedCodes);
  const all = unique(problems);
  const left = all.filter(({ code }) => !accepted.has(code));
  return {
    assets: found.assets.length,
    problems: left.sort(inOrder),
    accepted: all.length - left.length,
    simulations: simulations.sort((a, b) => compareText(a.asset, b.asset) || compareText(a.file, b.file)),
  };
}

const FINDINGS = {
  missing: ['reference-missing', 'is not in the folder'],
  'letter case': ['reference-letter-case', 'exists only with different letter case'],
  'by its end': [
    'reference-guessed',
    'is not at the given path; a file whose path ends the same way was used',
  ],
  outside: ['reference-outside', 'is not part of the library'],
  computed: [
    'reference-not-followed',
    'is computed by macros that cannot be expanded: what it names is only part of the asset if it is in its folder',
  ],
  unexpanded: [
    'macros-not-expanded',
    'so what the macros refer to is only part of the asset if it is in its folder',
  ],
} as const satisfies Record<string, readonly [CheckCode, string]>;

function referenceProblems({ id }: DiscoveredAsset, { findings, unread }: DiscoveredFolder): Problem[] {
  const named = (findings.get(id) ?? []).map(({ kind, file, line, text }) => {
    // Viewers show meshes without their materials, in plain colours.
    const isMaterial = kind === 'missing' && extensionOf(text) === 'mtl';
    const [code, words] = isMaterial ? (['material-missing', FINDINGS.missing[1]] as const) : FINDINGS[kind];
    return problem(code, id, kind === 'unexpanded' ? `${text}, ${words}` : `${text} ${words}`, {
      file,
      line,
    });
  });
  const damaged = (unread.get(id) ?? []).map(({ file, message }) =>
    problem('file-unreadable', id, message, { file }),
  );
  return [...named, ...damaged];
}

/** Each path is a problem of the first asset that has it. */
function nameProblems({ assets }: DiscoveredFolder): Problem[] {
  const owners = new Map(assets.toReversed().flatMap(({ id, files }) => files.map(({ path }) => [path, id])));
  return unportablePaths([...owners.keys()]).map(({ path, problem: words }) =>
    problem('name-not-portable', owners.get(path) ?? '', words, { file: path }),
  );
}

const UNVIEWABLE_FORMATS: ReadonlySet<string> = new Set(['blend', 'step', 'stp']);

function metadataProblems(asset: DiscoveredAsset, { library }: DiscoveredFolder): Problem[] {
  const { id, attribution, format, entry } = asset;
  const license = effectiveLicense(asset, library);
  const problems: Problem[] = [];
  if (!license) problems.push(problem('license-missing', id, 'it has no licence'));
  else if (!isSpdxExpression(license)) {
    problems.push(problem('license-not-spdx', id, `"${license}" is not an SPDX expression`));
  } else if (/\bCC-BY(?:-|$)/.test(license) && !attribution) {
    problems.push(
      problem('attribution-missing', id, `${license} requires attribution, but no authors are named`),
    );
  }
  if (entry !== undefined && format !== undefined && UNVIEWABLE_FORMATS.has(format)) {
    problems.push(problem('entry-without-viewer', id, `no viewer opens ${format}`, { file: entry }));
  }
  return problems;
}

function fileProblems(
  asset: DiscoveredAsset,
  { root, unread: unreadable }: DiscoveredFolder,
  damages: Map<string, string | undefined>,
): Problem[] {
  const { id, files } = asset;
  const unread = new Set((unreadable.get(id) ?? []).map(({ file }) => file));
  const problems: Problem[] = [];
  const read = (path: string) => new Uint8Array(readFileSync(join(root, path)));
  for (const { path, size } of files) {
    if (isDescription(asset, path)) {
      try {
        problems.push(...descriptionProblems(asset, path, read));
      } catch {
        // Unreadable files have been reported already.
      }
    }
    if (!damages.has(path)) damages.set(path, unread.has(path) ? undefined : damageOf(path, size, read));
    const damage = damages.get(path);
    if (damage !== undefined) problems.push(problem('file-unreadable', id, damage, { file: path }));
    if (!PICTURES.has(extensionOf(path))) continue;
    const head = readPart(join(root, path), 0, PICTURE_HEAD);
    if (!isPicture(head) && !unread.has(path))
      problems.push(problem('file-unreadable', id, 'is not a picture', { file: path }));
    const pixels = imageSize(head);
    if (pixels !== undefined && Math.max(pixels.width, pixels.height) > MAX_TEXTURE_SIDE) {
      const words = `${pixels.width} × ${pixels.height} pixels, which many viewers cannot load`;
      problems.push(problem('texture-too-large', id, words, { file: path }));
    }
  }
  return [...problems, ...duplicates(id, files, root)];
}

/** Checks a robot's description; one in macros as what they expand to, with the places that these were written in. */
function descriptionProblems(
  asset: DiscoveredAsset,
  path: string,
  read: (path: string) => Uint8Array,
): Problem[] {
  const bytes = read(path);
  const check = (content: Uint8Array) => [
    ...checkPhysics(asset.id, path, content),
    ...checkMeshScale(asset, path, content, read),
  ];
  if (extensionOf(path) !== 'xacro') return check(bytes);
  const paths = asset.files.map((file) => file.path);
  const { text, places } = writeExpanded(expandXacro(path, macroFiles(paths, read)).root);
  return check(new TextEncoder().encode(text)).map((one) => ({
    ...one,
    ...(one.line === null ? {} : places[one.line - 1]),
  }));
}

/** Returns why a mesh shows nothing; undefined for one that is sound, and for other files. */
function damageOf(path: string, size: number, read: (path: string) => Uint8Array): string | undefined {
  if (size > MAX_MESH_BYTES || !MESHES.has(extensionOf(path))) return undefined;
  return meshDamage(path, read(path), (deflated, bytes) =>
    inflateSync(deflated, { maxOutputLength: Math.max(1, bytes) }),
  );
}

/** Whether a file is a robot description: by its extension, or because the asset opens it, whatever its name. */
function isDescription({ kind, entry, entryPoints = {} }: DiscoveredAsset, path: string): boolean {
  if (/^(?:urdf|sdf|world)$/.test(extensionOf(path))) return true;
  if (kind !== 'urdf' && kind !== 'sdf') return false;
  return path === entry || Object.values(entryPoints).some(({ file }) => file === path);
}

/** Hashes only files that share their size; no others can be equal. */
function duplicates(id: string, files: DiscoveredAsset['files'], root: string): Problem[] {
  const problems: Problem[] = [];
  for (const [size, same] of Map.groupBy(files, (file) => file.size)) {
    if (size === 0 || same.length < 2) continue;
    const first = new Map<string, string>();
    for (const { path } of same) {
      const digest = createHash('sha256')
        .update(readFileSync(join(root, path)))
        .digest('hex');
      const other = first.get(digest);
      if (other === undefined) first.set(digest, path);
      else problems.push(problem('duplicate-files', id, `has the same content as ${other}`, { file: path }));
    }
  }
  return problems;
}

function unique(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((one) => [JSON.stringify(one), one])).values()];
}

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'note'];

function inOrder(a: Problem, b: Problem): number {
  return (
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    compareText(a.asset, b.asset) ||
    compareText(a.file ?? '', b.file ?? '') ||
    (a.line ?? 0) - (b.line ?? 0) ||
    compareText(a.code, b.code)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

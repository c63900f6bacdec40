import { forEachBounded } from '@bindery/concurrency/for-each';
import { effectiveLicense } from '@bindery/contract/wire';
import { extensionOf, formatOf } from '@bindery/formats';
import { type CheckCode, type Problem, problem, type Severity } from '../curation/check-codes.ts';
import type { DiscoveredAsset } from '../discovery/discovered-library.ts';
import { SLOW_WORDS } from '../discovery/file-reader.ts';
import { isSpdxExpression } from '../discovery/license/spdx-expressions.ts';
import type { DiscoveredFolder } from '../local-discovery/discover-library.ts';
import type { RobotMesh } from '../local-discovery/mesh-problems.ts';
import { type ReadingOptions, ReadingThread } from '../local-discovery/reading.ts';
import type { AssetConverter } from '../pull/pull-converted.ts';
import { unportablePaths } from '../tree/names.ts';
import { MeshReader } from './meshes.ts';
import { examineModels, type ModelChecks, type ReportedSimulation } from './models.ts';
import { simReadyProblems } from './simready.ts';

export interface CheckReport {
  assets: number;
  /** Sorted by severity, asset, file, line and code; without those that `bindery.yml` accepts. */
  problems: Problem[];
  accepted: number;
  /** Of models of robots, if they were simulated, sorted by asset and file. */
  simulations: ReportedSimulation[];
}

export interface CheckOptions extends ReadingOptions {
  /** Whether models of robots are simulated too, which takes as long as all the rest. */
  isSimulated?: boolean;
  /** Converts models to USD, to say which requirements of SimReady they do not meet. */
  simReady?: AssetConverter | undefined;
}

/**
 * Checks the assets of a folder. If `models` is null, nothing is compiled or validated. Rejects with the signal's reason
 * once it aborts; whoever owns `models` ends the checks that are running.
 */
export async function checkLibrary(
  found: DiscoveredFolder,
  models: ModelChecks | null,
  { isSimulated = false, simReady, signal, maxReadMilliseconds }: CheckOptions = {},
): Promise<CheckReport> {
  const problems: Problem[] = nameProblems(found);
  const simulations: CheckReport['simulations'] = [];
  const placed = new Map<string, readonly RobotMesh[]>();
  await using thread = new ReadingThread({ signal, maxReadMilliseconds });
  for (const asset of found.assets) {
    const unread = (found.unread.get(asset.id) ?? []).map(({ file }) => file);
    const inFiles = await thread.run('checkFiles', asset, found.root, unread);
    problems.push(...referenceProblems(asset, found), ...metadataProblems(asset, found), ...inFiles.problems);
    placed.set(asset.id, inFiles.placed);
  }
  await thread.close();
  if (models !== null) {
    const meshes = new MeshReader(models, found);
    await forEachBounded(found.assets, { concurrency: models.concurrency, signal }, async (asset) => {
      const read = await meshes.examine(asset, placed.get(asset.id) ?? []);
      const damaged = new Set(read.flatMap(({ code, file }) => (code === 'file-unreadable' ? [file] : [])));
      const seen = await examineModels(asset, { ...found, damaged }, models, isSimulated);
      problems.push(...read, ...seen.problems);
      simulations.push(...seen.simulations);
    });
  }
  if (simReady !== undefined) problems.push(...(await simReadyProblems(found, simReady, signal)));
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
    ', so what the macros refer to is only part of the asset if it is in its folder',
  ],
  faulty: [
    'macros-not-expanded',
    ', so no program can open it, and what the macros refer to is only part of the asset if it is in its folder',
  ],
} as const satisfies Record<string, readonly [CheckCode, string]>;

/** How many characters of a reference a message shows. */
const MAX_REFERENCE = 300;

function referenceProblems({ id }: DiscoveredAsset, { findings, unread }: DiscoveredFolder): Problem[] {
  const named = (findings.get(id) ?? []).map(({ kind, file, line, text }) => {
    // Viewers show meshes without their materials, in plain colours.
    const isMaterial = kind === 'missing' && extensionOf(text) === 'mtl';
    const [code, words] = isMaterial ? (['material-missing', FINDINGS.missing[1]] as const) : FINDINGS[kind];
    if (text === SLOW_WORDS) return problem('read-timeout', id, text, { file });
    // A reference can be as long as its file, such as a mesh in a data URI.
    const reference = text.length > MAX_REFERENCE ? `${text.slice(0, MAX_REFERENCE)}…` : text;
    const message = words.startsWith(',') ? `${text}${words}` : `${reference} ${words}`;
    return problem(code, id, message, { file, line }, kind === 'faulty' ? 'error' : undefined);
  });
  const damaged = (unread.get(id) ?? []).map(({ file, message }) =>
    problem(message === SLOW_WORDS ? 'read-timeout' : 'file-unreadable', id, message, { file }),
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
  if (entry !== undefined && format !== undefined && formatOf(format)?.isSource) {
    problems.push(problem('entry-without-viewer', id, `no viewer opens ${format}`, { file: entry }));
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

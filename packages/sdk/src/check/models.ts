import {
  extensionOf,
  type Fault,
  type FileToRead,
  formatOf,
  type ModelIssue,
  type ModelSimulation,
  type ModelsToCheck,
  type ModelVerdict,
  type ReadFile,
} from '@bindery/formats';
import { type CheckCode, type Problem, problem } from '../curation/check-codes.ts';
import type { DiscoveredAsset } from '../discovery/discovered-library.ts';
import type { DiscoveredFolder } from '../local-discovery/discover-library.ts';
import { isDescription } from '../local-discovery/file-problems.ts';
import { scaleProblem } from '../local-discovery/mesh-problems.ts';

/** Checks that need more than this package provides: MuJoCo, Khronos' glTF validator, and the loaders of pictures. */
export interface ModelChecks {
  /** How many assets are checked at once. */
  readonly concurrency: number;
  /** Never rejects because of a bad model: one that takes too long or too much memory is `unfinished`. */
  check(models: ModelsToCheck): Promise<ModelVerdict>;
}

/** How a model of an asset behaved, whose problems are among the others. */
export type ReportedSimulation = Omit<ModelSimulation, 'problems'> & { asset: string };

interface ExaminedModels {
  problems: Problem[];
  simulations: ReportedSimulation[];
}

/** Has the models that an asset opens compiled, validated and, if wanted, simulated; not those that are `damaged`. */
export async function examineModels(
  asset: DiscoveredAsset,
  {
    root,
    fragments,
    findings,
    unread,
    damaged,
  }: Pick<DiscoveredFolder, 'root' | 'fragments' | 'findings' | 'unread'> & {
    damaged: ReadonlySet<string | null>;
  },
  models: ModelChecks,
  isSimulated: boolean,
): Promise<ExaminedModels> {
  const { id, kind, entry, entryPoints = {}, files } = asset;
  const format = checkedAs(kind, isSimulated);
  const opened = new Set([entry, ...Object.values(entryPoints).map(({ file }) => file)]);
  const isReadable = (file: string) =>
    !fragments.has(file) && !damaged.has(file) && !unread.get(id)?.some((one) => one.file === file);
  const entries = [...opened].filter(
    (file): file is string =>
      file !== undefined && isReadable(file) && (format !== 'gltf' || /^gl(?:tf|b)$/.test(extensionOf(file))),
  );
  const robots = robotsIn(asset, opened).filter(({ file }) => isReadable(file));
  const [file = robots[0]?.file] = entries;
  if (file === undefined) return { problems: [], simulations: [] };
  const sizes = new Map(files.map(({ path, size }) => [path, size]));
  const verdict = await models.check({
    ...{ format, root, sizes, entries: entries.sort(), isSimulated, files: robots },
  });
  if ('unfinished' in verdict) {
    const problems = [problem('model-not-checked', id, verdict.unfinished, { file: entry ?? file })];
    return { problems, simulations: [] };
  }
  const { issues, placed, simulations, unsimulated = [], read } = verdict;
  // What keeps macros from being expanded was found before.
  const isUnexpanded = findings
    .get(id)
    ?.some(({ kind }) => ['unexpanded', 'faulty', 'computed'].includes(kind));
  return {
    problems: [
      ...(isUnexpanded ? [] : unreadProblems(id, read)),
      ...read
        .flatMap(({ faults = [] }) => faults)
        .filter(({ line }) => line !== undefined || !isUnexpanded)
        .map(({ of, message, file, line }) =>
          problem(FAULT_CODES[of ?? 'tree'], id, message, { file, line }),
        ),
      ...issues.map(({ file, severity, message }) =>
        problem((format === 'gltf' ? GLTF_CODES : MJCF_CODES)[severity], id, message, { file }),
      ),
      ...placed.flatMap(({ file, name, side }) => scaleProblem(id, name, side, { file })),
      ...simulations.flatMap(({ file, problems }) =>
        problems.map(({ code, message }) => problem(code, id, message, { file })),
      ),
      ...unsimulated.map(({ file, reason }) => problem('not-simulated', id, reason, { file })),
      ...simulations.flatMap(({ file, losses = [] }) =>
        losses.map(({ what, names, why }) => {
          const message = `simulated without ${[what, names.join(', ')].filter(Boolean).join(' ')}: ${why}`;
          return problem('simulated-without', id, message, { file });
        }),
      ),
    ],
    simulations: simulations.map(({ problems: _, ...simulation }) => ({ asset: id, ...simulation })),
  };
}

/** Returns the problems of files of which a reading has found that they are not drawn, or not as a whole. */
export function unreadProblems(asset: string, read: readonly ReadFile[]): Problem[] {
  return read.flatMap(({ file, problem: found }) => {
    if (found === undefined) return [];
    const code = found.severity === 'note' ? 'model-not-checked' : 'file-unreadable';
    return [problem(code, asset, found.message, { file }, found.severity)];
  });
}

/** The descriptions of robots in an asset, and the stages of USD that it opens. */
function robotsIn(asset: DiscoveredAsset, opened: ReadonlySet<string | undefined>): FileToRead[] {
  const { kind = '', files } = asset;
  return files.flatMap(({ path: file }) => {
    const format = formatOf(extensionOf(file));
    if (isDescription(asset, file)) return [{ file, kind: format?.loadMechanismReader ? format.name : kind }];
    return format?.name === 'usd' && opened.has(file) ? [{ file, kind: format.name }] : [];
  });
}

const FAULT_CODES = {
  tree: 'model-invalid',
  mass: 'mass-not-positive',
  inertia: 'inertia-impossible',
  limits: 'joint-limits-reversed',
} as const satisfies Record<NonNullable<Fault['of']>, CheckCode>;
const MJCF_CODES = {
  error: 'mjcf-does-not-compile',
  warning: 'mjcf-does-not-compile',
  note: 'mjcf-needs-plugin',
} as const satisfies Record<ModelIssue['severity'], CheckCode>;
const GLTF_CODES = {
  error: 'gltf-invalid',
  warning: 'gltf-suspicious',
  note: 'gltf-suspicious',
} as const satisfies Record<ModelIssue['severity'], CheckCode>;

/** Robots in other formats are simulated as the MJCF that they become, and not compiled otherwise. */
function checkedAs(kind: string | undefined, isSimulated: boolean): ModelsToCheck['format'] {
  if (kind === 'mjcf') return kind;
  return isSimulated && (kind === 'urdf' || kind === 'sdf' || kind === 'usd') ? kind : 'gltf';
}

import {
  extensionOf,
  type ModelIssue,
  type ModelSimulation,
  type ModelsToCheck,
  type ModelVerdict,
} from '@bindery/formats';
import { type CheckCode, type Problem, problem } from '../curation/check-codes.ts';
import type { DiscoveredAsset } from '../discovery/discovered-library.ts';
import type { DiscoveredFolder } from '../local-discovery/discover-library.ts';
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
  { id, kind, entry, entryPoints = {}, files }: DiscoveredAsset,
  {
    root,
    fragments,
    unread,
    damaged,
  }: Pick<DiscoveredFolder, 'root' | 'fragments' | 'unread'> & { damaged: ReadonlySet<string | null> },
  models: ModelChecks,
  isSimulated: boolean,
): Promise<ExaminedModels> {
  const format = formatOf(kind, isSimulated);
  const opened = [entry, ...Object.values(entryPoints).map(({ file }) => file)];
  const entries = [...new Set(opened)].filter(
    (file): file is string =>
      file !== undefined &&
      !fragments.has(file) &&
      !damaged.has(file) &&
      !unread.get(id)?.some((one) => one.file === file) &&
      (format !== 'gltf' || /^gl(?:tf|b)$/.test(extensionOf(file))),
  );
  if (entry === undefined || entries.length === 0) return { problems: [], simulations: [] };
  const sizes = new Map(files.map(({ path, size }) => [path, size]));
  const verdict = await models.check({
    ...{ format, root, sizes, entries: entries.sort(), isSimulated },
    meshes: [],
  });
  if ('unfinished' in verdict) {
    const problems = [problem('model-not-checked', id, verdict.unfinished, { file: entry })];
    return { problems, simulations: [] };
  }
  const { issues, placed, simulations, unsimulated = [] } = verdict;
  return {
    problems: [
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
function formatOf(kind: string | undefined, isSimulated: boolean): ModelsToCheck['format'] {
  if (kind === 'mjcf') return kind;
  return isSimulated && (kind === 'urdf' || kind === 'sdf' || kind === 'usd') ? kind : 'gltf';
}

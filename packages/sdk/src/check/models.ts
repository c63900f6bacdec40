import { extensionOf } from '@bindery/formats';
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

export interface ModelsToCheck {
  /** Those but MJCF and glTF are only simulated. */
  format: 'mjcf' | 'gltf' | 'urdf' | 'sdf' | 'usd';
  /** The folder that paths are relative to. */
  root: string;
  /** Sizes of the asset's files in bytes, by path. */
  sizes: ReadonlyMap<string, number>;
  entries: readonly string[];
  /** Files to read as pictures read meshes. */
  meshes: readonly string[];
  /** Whether models of robots are simulated too. */
  isSimulated?: boolean;
}

export type ModelVerdict =
  | {
      issues: readonly ModelIssue[];
      placed: readonly ModelMesh[];
      meshes: readonly CheckedMesh[];
      simulations?: readonly (ModelSimulation & { problems: readonly SimulationProblem[] })[];
      /** Models that could not be converted to MJCF, and why. */
      unsimulated?: readonly { file: string; reason: string }[];
    }
  | { unfinished: string };

/** A mesh placed by an MJCF model; `side` is the longest side of its bounding box, in metres. */
export interface ModelMesh {
  file: string;
  name: string;
  side: number;
}

/** What came of reading a mesh. */
export interface CheckedMesh {
  file: string;
  /** Why not all of it is drawn; `error`: nothing is. */
  problem?: { severity: 'error' | 'warning'; message: string };
  /** The sides of its bounding box, in its own unit. */
  sides?: readonly [x: number, y: number, z: number];
}

export interface ModelIssue {
  file: string;
  severity: 'error' | 'warning' | 'note';
  message: string;
}

/** How a model behaved in MuJoCo, whose version is part of the result. */
export interface ModelSimulation {
  file: string;
  mujoco: string;
  /** In seconds. */
  timestep: number;
  /** Absent if MuJoCo gave up. */
  rest?: SimulationCourse;
  /** Under random control; absent for a model without actuators, too. */
  control?: SimulationCourse;
  /** How fast it rested: this depends on the machine. */
  speed?: { realTimeFactor: number; millisecondsPerStep: number };
  /** What was left out when the model was converted to MJCF. */
  losses?: readonly { what: string; names: readonly string[]; why: string }[];
}

export interface SimulationCourse {
  /** Simulated; shorter than ten for a model that broke down. */
  seconds: number;
  /** Kinetic energy in joules, at equal distances in time. */
  energy: readonly number[];
  /** When it ends. */
  contacts: number;
}

interface SimulationProblem {
  code: CheckCode;
  message: string;
}

interface ExaminedModels {
  problems: Problem[];
  simulations: (ModelSimulation & { asset: string })[];
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
  const { issues, placed, simulations = [], unsimulated = [] } = verdict;
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

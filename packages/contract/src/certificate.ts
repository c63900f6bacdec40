import type { Certificate, EngineVerdict } from './library.ts';

/** Problems of robots that fail. */
export const CERTIFICATE_FAILURES: ReadonlySet<string> = new Set([
  'mjcf-does-not-compile',
  'simulation-unstable',
  'simulation-gains-energy',
  'falls-through-floor',
  'joint-limits-reversed',
]);

/** The kinds of assets that are simulated. */
export const CERTIFIED_KINDS: ReadonlySet<string> = new Set(['mjcf', 'urdf', 'sdf', 'usd']);

/** Engines that simulate robots beside MuJoCo, if they are asked. */
export const ENGINES = ['newton', 'pybullet'] as const;
export type EngineName = (typeof ENGINES)[number];

/** What a simulation of a robot found. */
export interface SimulationRun {
  readonly mujoco: string;
  readonly timestep?: number;
  readonly rest?: SimulationCourse;
  readonly control?: SimulationCourse;
  readonly problems: readonly { readonly code: string; readonly message: string }[];
  readonly losses: readonly {
    readonly what: string;
    readonly names: readonly string[];
    readonly why: string;
  }[];
  readonly engines?: readonly EngineRun[];
}

/** What a simulation in another engine found, or why there was none. */
export type EngineRun = Pick<EngineVerdict, 'name' | 'version' | 'drift'> & {
  readonly losses: readonly string[];
} & (
    | { readonly problems: SimulationRun['problems'] }
    | { readonly refused: string; readonly isTransient: boolean }
  );

interface SimulationCourse {
  readonly seconds: number;
  readonly energy: readonly number[];
  readonly contacts: number;
}

/** The most problems, losses and names of one loss that a certificate lists. */
export const CERTIFICATE_ITEMS = 50;

/** Makes the certificate of an asset: the same bytes for the same files, MuJoCo and certifier, on every machine. */
export function certificateOf(
  { mujoco, timestep, rest, control, problems, losses, engines }: SimulationRun,
  { digest, file, certifier }: Pick<Certificate, 'digest' | 'file' | 'certifier'>,
): Certificate {
  return {
    verdict: verdictOf(problems),
    digest,
    file,
    mujoco,
    certifier,
    ...(timestep !== undefined && { timestep }),
    ...(rest && { rest: rounded(rest) }),
    ...(control && { control: rounded(control) }),
    problems: problems.slice(0, CERTIFICATE_ITEMS).map(({ code, message }) => ({ code, message })),
    losses: losses
      .slice(0, CERTIFICATE_ITEMS)
      .map(({ what, names, why }) => ({ what, names: names.slice(0, CERTIFICATE_ITEMS), why })),
    ...(engines && { engines: engines.map(engineVerdictOf) }),
  };
}

/** The most reasons of one engine that a certificate lists. */
const ENGINE_REASONS = 20;

export function engineVerdictOf(run: EngineRun): EngineVerdict {
  const { name, version, drift, losses } = run;
  const isRun = 'problems' in run;
  const reasons = isRun ? run.problems.map(({ code, message }) => `${code}: ${message}`) : [run.refused];
  return {
    name,
    version,
    verdict: isRun ? verdictOf(run.problems) : 'not run',
    reasons: reasons.slice(0, ENGINE_REASONS).map((reason) => reason.slice(0, 1_000)),
    ...(drift && { drift }),
    losses: losses.slice(0, CERTIFICATE_ITEMS),
  };
}

/** `passed in newton 1.8.0, 0.3 mm and 0.8 mrad from MuJoCo, without armature`. */
export function formatEngineVerdict({
  name,
  version,
  verdict,
  reasons,
  drift,
  losses,
}: EngineVerdict): string {
  const milli = (value: number) => Number((value * 1_000).toPrecision(3));
  return [
    `${verdict} in ${[name, version].filter(Boolean).join(' ')}`,
    ...(drift ? [`${milli(drift.metres)} mm and ${milli(drift.radians)} mrad from MuJoCo`] : []),
    ...(losses.length > 0 ? [`without ${losses.join(', ')}`] : []),
    ...(reasons.length > 0 ? [reasons.join('; ')] : []),
  ].join(', ');
}

function verdictOf(problems: SimulationRun['problems']): 'passed' | 'failed' {
  return problems.some(({ code }) => CERTIFICATE_FAILURES.has(code)) ? 'failed' : 'passed';
}

function rounded({ seconds, energy, contacts }: SimulationCourse) {
  const four = (value: number) => Number(value.toPrecision(4));
  // What breaks down has no energy that JSON could hold.
  return { seconds: four(seconds), energy: energy.filter(Number.isFinite).map(four), contacts };
}

import type { Certificate } from './library.ts';

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
}

interface SimulationCourse {
  readonly seconds: number;
  readonly energy: readonly number[];
  readonly contacts: number;
}

/** The most problems, losses and names of one loss that a certificate lists. */
export const CERTIFICATE_ITEMS = 50;

/** Makes the certificate of an asset: the same bytes for the same files, MuJoCo and certifier, on every machine. */
export function certificateOf(
  { mujoco, timestep, rest, control, problems, losses }: SimulationRun,
  { digest, file, certifier }: Pick<Certificate, 'digest' | 'file' | 'certifier'>,
): Certificate {
  const failed = problems.some(({ code }) => CERTIFICATE_FAILURES.has(code));
  return {
    verdict: failed ? 'failed' : 'passed',
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
  };
}

function rounded({ seconds, energy, contacts }: SimulationCourse) {
  const four = (value: number) => Number(value.toPrecision(4));
  // What breaks down has no energy that JSON could hold.
  return { seconds: four(seconds), energy: energy.filter(Number.isFinite).map(four), contacts };
}

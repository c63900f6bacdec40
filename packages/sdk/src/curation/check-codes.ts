export type Severity = 'error' | 'warning' | 'note';

/** What a check can find: stable codes, each described in `docs/checks.md`. */
export const CODES = {
  'reference-missing': 'error',
  'material-missing': 'warning',
  'reference-letter-case': 'error',
  'reference-guessed': 'warning',
  'reference-outside': 'note',
  'reference-not-followed': 'warning',
  'macros-not-expanded': 'warning',
  'file-unreadable': 'error',
  'read-timeout': 'error',
  'model-invalid': 'error',
  'mjcf-does-not-compile': 'error',
  'mjcf-needs-plugin': 'note',
  'gltf-invalid': 'error',
  'gltf-suspicious': 'warning',
  'model-not-checked': 'error',
  'not-simulated': 'note',
  'simulated-without': 'note',
  'simulation-unstable': 'error',
  'simulation-gains-energy': 'error',
  'simulation-solver': 'warning',
  'falls-through-floor': 'error',
  'nothing-below': 'note',
  'starts-in-collision': 'warning',
  'starts-outside-limits': 'warning',
  'joint-passes-limit': 'warning',
  'actuator-misses-target': 'warning',
  'actuator-too-weak': 'warning',
  'keyframe-not-held': 'warning',
  'mass-implausible': 'warning',
  'mass-outside-shapes': 'warning',
  'inertia-implausible': 'warning',
  'size-implausible': 'warning',
  'nothing-collides': 'warning',
  'limits-implausible': 'warning',
  'joint-limits-reversed': 'error',
  'gravity-unusual': 'warning',
  'joint-unlike-twin': 'warning',
  'simready-loss': 'note',
  'mass-not-positive': 'error',
  'inertia-impossible': 'error',
  'mesh-scale': 'warning',
  'mesh-without-viewer': 'warning',
  'texture-too-large': 'warning',
  'duplicate-files': 'note',
  'entry-without-viewer': 'warning',
  'name-not-portable': 'warning',
  'license-missing': 'note',
  'license-not-spdx': 'warning',
  'attribution-missing': 'warning',
} as const satisfies Record<string, Severity>;

export type CheckCode = keyof typeof CODES;
export const CHECK_CODES = Object.keys(CODES) as [CheckCode, ...CheckCode[]];

/** A problem that a check found. `file` is relative to the folder; lines count from 1. */
export interface Problem {
  code: CheckCode;
  severity: Severity;
  asset: string;
  file: string | null;
  line: number | null;
  message: string;
}

/** Creates a problem of an asset, by default with the severity of its code. */
export function problem(
  code: CheckCode,
  asset: string,
  message: string,
  place: { file?: string | undefined; line?: number | undefined } = {},
  severity: Severity = CODES[code],
): Problem {
  return { code, severity, asset, file: place.file ?? null, line: place.line ?? null, message };
}

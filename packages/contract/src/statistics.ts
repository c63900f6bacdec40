import { readDescriptor, readHands } from './descriptors.ts';

/**
 * What an asset measures and consists of, as the process that draws thumbnails found it: `meta.statistics` of the
 * asset in a manifest. What it has none of, or what its format does not say, is left out.
 */
export interface AssetStatistics {
  /** Along x, y and z of the file's own frame, in metres; only of formats that have a unit of length. */
  readonly size?: readonly [x: number, y: number, z: number];
  /** Which of these axes points up. */
  readonly up?: 'y' | 'z';
  readonly triangles?: number;
  readonly points?: number;
  readonly splats?: number;
  /** The links of a robot. */
  readonly bodies?: number;
  /** Hinges and slides that can be moved on their own. */
  readonly joints?: number;
  /** Those of the joints that slide. */
  readonly slides?: number;
  /** How many joints lead to each end of a robot, the most first: 3, 3, 3 and 3 for the legs of a dog. */
  readonly chains?: readonly number[];
  /** Words of the names of its parts, each with how many parts have it. */
  readonly parts?: Readonly<Record<string, number>>;
  /** In kilograms. */
  readonly mass?: number;
  /** Images that materials use. */
  readonly textures?: number;
  readonly animations?: number;
  /** Meshes, textures and copies of meshes that are not shown. */
  readonly omitted?: number;
  /** What it looks like: the version of its descriptor, a colon, and the descriptor in Base64. */
  readonly descriptor?: string;
  /** The hands and grippers that a robot's arms hold, those of one shape once: how their links are called, and versions and shapes likewise. */
  readonly hands?: readonly { readonly name: string; readonly shape: string }[];
}

const NUMBERS = [
  'triangles',
  'points',
  'splats',
  'bodies',
  'joints',
  'slides',
  'mass',
  'textures',
  'animations',
  'omitted',
] as const;

/** Reads `meta.statistics`. Authors can write anything there, so whatever is not such a value is left out. */
export function readStatistics(meta: Readonly<Record<string, unknown>> | undefined): AssetStatistics {
  const written = meta?.statistics;
  if (typeof written !== 'object' || written === null) return {};
  const { size, up, chains, parts, descriptor, hands, ...others } = written as Readonly<
    Record<string, unknown>
  >;
  const numbers = NUMBERS.flatMap((name) => (isAmount(others[name]) ? [[name, others[name]]] : []));
  return {
    ...(isSize(size) && { size }),
    ...((up === 'y' || up === 'z') && { up }),
    ...Object.fromEntries(numbers),
    ...(isCounts(chains) && { chains }),
    ...(isParts(parts) && { parts }),
    ...(readDescriptor(meta) !== null && { descriptor: descriptor as string }),
    ...(readHands(meta).length > 0 && { hands: hands as AssetStatistics['hands'] }),
  };
}

function isSize(value: unknown): value is [number, number, number] {
  return Array.isArray(value) && value.length === 3 && value.every(isAmount);
}

/** Ends of a robot, and words of its parts, beyond these say nothing new. */
const MAX_LISTED = 16;

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.length <= MAX_LISTED && value.every(isAmount);
}

function isParts(value: unknown): value is Record<string, number> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const counted = Object.entries(value);
  return (
    counted.length <= MAX_LISTED &&
    counted.every(([word, count]) => /^[a-z]{1,16}$/.test(word) && isAmount(count))
  );
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Infinity;
}

/** Files that the models of an asset name and that its folder did not have at the push: `meta.missing` of the asset. */
export interface MissingFiles {
  readonly total: number;
  /** The first of them as the models write them, the long ones cut. */
  readonly names: readonly string[];
}

export const MAX_MISSING_NAMES = 10;
export const MAX_MISSING_NAME_LENGTH = 200;

/** Reads `meta.missing`; null if nothing is missing, or if an author wrote anything else there. */
export function readMissing(meta: Readonly<Record<string, unknown>> | undefined): MissingFiles | null {
  const { total, names, ...others } = (meta?.missing ?? {}) as Readonly<Record<string, unknown>>;
  const isCount = typeof total === 'number' && Number.isSafeInteger(total) && total > 0;
  if (!isCount || !Array.isArray(names) || Object.keys(others).length > 0) return null;
  if (names.length > Math.min(total, MAX_MISSING_NAMES) || !names.every(isShortName)) return null;
  return { total, names };
}

function isShortName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= MAX_MISSING_NAME_LENGTH;
}

/** Where an asset was imported from: `meta.import` of the asset. */
export interface Origin {
  /** The address of the source. */
  readonly source: string;
  /** The commit, where the source has them. */
  readonly revision?: string;
  /** The day on which it came, as `2026-03-01`. */
  readonly retrieved: string;
}

/** Reads `meta.import`; null if the asset was not imported, or if an author wrote anything else there. */
export function readOrigin(meta: Readonly<Record<string, unknown>> | undefined): Origin | null {
  const { source, revision, retrieved } = (meta?.import ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof source !== 'string' || typeof retrieved !== 'string') return null;
  return { source, retrieved, ...(typeof revision === 'string' && { revision }) };
}

/**
 * What NVIDIA's validator and benchmark wrote of an asset beside it, in `.simready/validation.json`: `meta.simready` of the asset. Its author
 * says so; nobody here has checked it.
 */
export interface SimReadyClaim {
  /** The profile with its version, such as `Robot-Body 1.0.0`. */
  readonly profile?: string;
  /** Features of the last validation. */
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  /** Runs in engines, by the name of the test. */
  readonly tests: readonly { readonly name: string; readonly passed: boolean }[];
}

export const MAX_CLAIMS = 100;

/** Reads `meta.simready`; null if nothing is claimed, or if an author wrote anything else there. */
export function readClaim(meta: Readonly<Record<string, unknown>> | undefined): SimReadyClaim | null {
  const { profile, passed, failed, tests } = (meta?.simready ?? {}) as Readonly<Record<string, unknown>>;
  if (![passed, failed, tests].every((list) => Array.isArray(list) && list.length <= MAX_CLAIMS)) return null;
  const [names, others, runs] = [passed, failed, tests] as [unknown[], unknown[], unknown[]];
  if (![...names, ...others].every(isShortName)) return null;
  const isRun = (run: unknown): run is SimReadyClaim['tests'][number] =>
    typeof run === 'object' && run !== null && 'name' in run && isShortName(run.name) && 'passed' in run;
  if (!runs.every(isRun)) return null;
  const claimed = runs.map((run) => ({ name: run.name, passed: run.passed === true }));
  return {
    ...(isShortName(profile) && { profile }),
    ...{ passed: names as string[], failed: others as string[], tests: claimed },
  };
}

/** `Robot-Body 1.0.0, 12 of 13 features passed, FET_004 failed, drop_test passed`. */
export function formatClaim({ profile, passed, failed, tests }: SimReadyClaim): string {
  const count = passed.length + failed.length;
  return [
    ...(profile === undefined ? [] : [profile]),
    ...(count > 0 ? [`${passed.length} of ${count} features passed`] : []),
    ...failed.map((name) => `${name} failed`),
    ...tests.map(({ name, passed }) => `${name} ${passed ? 'passed' : 'failed'}`),
  ].join(', ');
}

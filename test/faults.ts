/** True in `npm run test:faults`: races, kills and full disks are repeated often enough to expose faults. */
export const LONG_FAULTS = process.env.BINDERY_TEST_FAULTS === 'long';

/** How many times a test of a race or a fault repeats it: `short` in every run, `long` in `npm run test:faults`. */
export function rounds({ short, long }: { short: number; long: number }): number {
  return LONG_FAULTS ? long : short;
}

/** Returns which of `total` steps to try: spread over all of them, in a new selection each time if not all fit. */
export function someSteps(total: number, times: { short: number; long: number }): number[] {
  const count = Math.min(total, rounds(times));
  return Array.from({ length: count }, (_, nth) => 1 + Math.floor(((nth + Math.random()) * total) / count));
}

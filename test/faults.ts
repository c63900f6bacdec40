/** True in `npm run test:faults`: races, kills and full disks are tried until they would have shown. */
export const LONG_FAULTS = process.env.BINDERY_TEST_FAULTS === 'long';

/** How often a test of a race or a fault tries it: `short` in every run, `long` in `npm run test:faults`. */
export function rounds({ short, long }: { short: number; long: number }): number {
  return LONG_FAULTS ? long : short;
}

/** Which of `total` steps to try: spread over all of them, others each time where not all fit. */
export function someSteps(total: number, times: { short: number; long: number }): number[] {
  const count = Math.min(total, rounds(times));
  return Array.from({ length: count }, (_, nth) => 1 + Math.floor(((nth + Math.random()) * total) / count));
}

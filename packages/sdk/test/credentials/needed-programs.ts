/**
 * Whether tests that need programs of the system can run. Where some are missing they are skipped with one line; in CI
 * that is a failure.
 */
export function canRun(what: string, missing: readonly string[]): boolean {
  if (missing.length === 0) return true;
  const sentence = `${what} cannot be tested: ${missing.join(', ')} not installed.`;
  if (process.env.CI) throw new Error(sentence);
  console.warn(`Skipped. ${sentence}`);
  return false;
}

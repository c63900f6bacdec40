import { existsSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** Real libraries, which some machines have next to the repository. */
const LIBRARIES = new URL('../../shared/data', import.meta.url);

/**
 * For continuous integration: prints `N passed, M failed` as the last line, and fails the run if a test was skipped.
 * Only tests of real libraries may be skipped, on machines that do not have them.
 */
export class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const skipped = tests
      .filter((test) => test.result().state === 'skipped')
      .filter(({ fullName }) => existsSync(LIBRARIES) || !fullName.includes('real libraries'));
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const failed = count('failed') + count('pending') + skipped.length + broken + errors.length;
    if (failed > 0 || tests.length === 0) process.exitCode = 1;
    for (const { fullName } of skipped)
      process.stdout.write(`Skipped, which counts as failed here: ${fullName}\n`);
    process.once('exit', () => process.stdout.write(`${count('passed')} passed, ${failed} failed\n`));
  }
}

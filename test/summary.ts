import { existsSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** Real libraries that lie beside the repository on some machines; they are no part of it. */
const LIBRARIES = new URL('../../shared/data', import.meta.url);

/**
 * For continuous integration: ends the run with `N passed, M failed` alone on the last line, and fails it where a
 * test was skipped, because there nothing may be; except tests of real libraries where there are none.
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

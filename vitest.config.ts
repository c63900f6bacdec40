import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LONG_FAULTS } from './test/faults.ts';
import { Summary } from './test/summary.ts';

const TESTS = [
  'packages/*/test/**/*.test.ts',
  'packages/*/src/**/*.test.ts',
  'e2e/**/*.test.ts',
  'test/**/*.test.ts',
];

// Hundreds of processes are started; each would compile the same modules anew.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));

export default defineConfig({
  // As Node itself resolves it; otherwise it is loaded twice, and once in its slower form for development.
  resolve: {
    alias: [
      {
        find: /^graphql$/,
        replacement: fileURLToPath(new URL('node_modules/graphql/index.mjs', import.meta.url)),
      },
    ],
  },
  test: {
    include: LONG_FAULTS ? testsOfFaults() : TESTS,
    globalSetup: ['./test/postgres.ts'],
    reporters: process.env.CI ? ['default', new Summary()] : ['default'],
    testTimeout: LONG_FAULTS ? 3_600_000 : 120_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Tests wait for processes much of their time.
    maxWorkers: availableParallelism() + 1,
  },
});

/** The files that ask `test/faults.ts` how many rounds to run. */
function testsOfFaults(): string[] {
  const root = fileURLToPath(new URL('.', import.meta.url));
  return globSync(TESTS, { cwd: root, exclude: (path) => path.includes('node_modules') }).filter((path) =>
    /from '.*\/faults\.ts'/.test(readFileSync(path, 'utf8')),
  );
}

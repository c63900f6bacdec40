import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { Summary } from './test/summary.ts';

// Hundreds of processes are started; each would compile the same modules anew.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));

export default defineConfig({
  // As Node itself resolves it; otherwise it is loaded twice, once as ESM and once as CommonJS.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: [
      'packages/*/test/**/*.test.ts',
      'packages/*/src/**/*.test.ts',
      'e2e/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    globalSetup: ['./test/postgres.ts'],
    reporters: process.env.CI ? ['default', new Summary()] : ['default'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Tests wait for processes much of their time.
    maxWorkers: availableParallelism() + 1,
  },
});

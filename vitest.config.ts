import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LONG_FAULTS } from './test/faults.ts';
import { LongestFirst } from './test/longest-first.ts';
import { startingBuilt } from './test/started-modules.ts';
import { Summary } from './test/summary.ts';

const files = globSync(
  ['packages/*/test/**/*.test.ts', 'packages/*/src/**/*.test.ts', 'e2e/**/*.test.ts', 'test/**/*.test.ts'],
  { cwd: import.meta.dirname, exclude: (path) => path.includes('node_modules') },
).map((path) => ({ path, text: readFileSync(path, 'utf8') }));

/** The files to run: all, or in `npm run test:faults` only those that use `test/faults.ts`. */
const wanted = files.filter(({ text }) => !LONG_FAULTS || /from '.*\/faults\.ts'/.test(text));

/** Most files share processes and the modules loaded there; those that change Node's modules or clock are isolated. */
const changesProcess = /\bvi\.(mock|spyOn|stub\w+|useFakeTimers)\(|thread-faults\.ts/;
const alone = wanted.filter(({ text }) => changesProcess.test(text)).map(({ path }) => path);
/** Tests that build, pack and install packages take minutes: they run only with `--project packages`. */
const wantsPackages = process.argv.includes('packages');
const packaged = wanted.map(({ path }) => path).filter((path) => path.startsWith('test/packages/'));
/** Tests against an S3 store: Ceph is started if any of them runs. */
const onS3 = wanted.filter(({ text }) => /from '.*\/bucket\.ts'/.test(text)).map(({ path }) => path);
/** Tests of Python clients: these are installed if any of them runs. */
const withPython = wanted
  .filter(({ text }) => /from '.*\/python-clients\.ts'/.test(text))
  .map(({ path }) => path);
/** Tests of a search engine: OpenSearch is started if any of them runs. */
const withEngine = wanted
  .filter(({ text }) => /from '.*\/engine-service\.ts'/.test(text))
  .map(({ path }) => path);
const elsewhere = new Set([...alone, ...packaged, ...onS3, ...withPython, ...withEngine]);
const shared = wanted.map(({ path }) => path).filter((path) => !elsewhere.has(path));

const PACKAGES = {
  extends: true as const,
  test: { name: 'packages', include: packaged, hookTimeout: 600_000, testTimeout: 600_000 },
};

// Tests start hundreds of processes, each of which would otherwise compile the same modules again.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));

/** Makes services and pools in tests start what `test/command.ts` has built; the long fault tests start the sources. */
const startsBuilt = {
  name: 'starts-built',
  enforce: 'pre' as const,
  transform: (code: string, id: string) =>
    code.includes('import.meta.url') ? { code: startingBuilt(code, id), map: null } : null,
};

export default defineConfig({
  plugins: LONG_FAULTS ? [] : [startsBuilt],
  // Resolves graphql as Node does. Otherwise it is loaded twice, once in its slower development build.
  resolve: {
    alias: [
      {
        find: /^graphql$/,
        replacement: fileURLToPath(new URL('node_modules/graphql/index.mjs', import.meta.url)),
      },
    ],
  },
  test: {
    projects: [
      { extends: true, test: { name: 'shared', isolate: false, include: shared } },
      {
        extends: true,
        test: {
          name: 'alone',
          isolate: true,
          include: alone.filter((path) => !onS3.includes(path) && !withPython.includes(path)),
        },
      },
      { extends: true, test: { name: 's3', isolate: false, include: onS3, globalSetup: ['./test/ceph.ts'] } },
      {
        extends: true,
        test: {
          name: 'python-clients',
          isolate: false,
          include: withPython,
          globalSetup: ['./test/python-clients.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'opensearch',
          isolate: false,
          include: withEngine,
          globalSetup: ['./test/opensearch.ts'],
        },
      },
      ...(wantsPackages ? [PACKAGES] : []),
    ],
    globalSetup: [
      './test/temporary-folder.ts',
      './test/dashboard.ts',
      './test/command.ts',
      './test/postgres.ts',
    ],
    sequence: { sequencer: LongestFirst },
    reporters: process.env.CI ? ['default', new Summary()] : ['default'],
    // Only stops tests that hang; not a limit on how long anything is allowed to take.
    testTimeout: LONG_FAULTS ? 3_600_000 : 300_000,
    hookTimeout: 300_000,
    // Generous, since how long a condition takes to become true does not matter.
    expect: { poll: { timeout: 120_000 } },
    pool: 'forks',
    // Tests spend much of their time waiting for processes.
    maxWorkers: availableParallelism() + 1,
  },
});

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

/** What asks `test/faults.ts` how many rounds to run, where only that is wanted. */
const wanted = files.filter(({ text }) => !LONG_FAULTS || /from '.*\/faults\.ts'/.test(text));

/** Most files share processes and what these have loaded; one that changes Node's own modules or clock has its own. */
const changesProcess = /\bvi\.(mock|spyOn|stub\w+|useFakeTimers)\(|thread-faults\.ts/;
const alone = wanted.filter(({ text }) => changesProcess.test(text)).map(({ path }) => path);
/** What builds, packs and installs packages takes minutes: it runs where `--project packages` asks for it. */
const wantsPackages = process.argv.includes('packages');
const packaged = wanted.map(({ path }) => path).filter((path) => path.startsWith('test/packages/'));
/** What talks to an S3 store: a Ceph is started where one of these runs. */
const onS3 = wanted.filter(({ text }) => /from '.*\/bucket\.ts'/.test(text)).map(({ path }) => path);
const shared = wanted
  .map(({ path }) => path)
  .filter((path) => !alone.includes(path) && !packaged.includes(path) && !onS3.includes(path));

const PACKAGES = {
  extends: true as const,
  test: { name: 'packages', include: packaged, hookTimeout: 600_000, testTimeout: 600_000 },
};

// Hundreds of processes are started; each would compile the same modules anew.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));

/** What services and pools of tests start was built by `test/command.ts`; the long form starts the sources. */
const startsBuilt = {
  name: 'starts-built',
  enforce: 'pre' as const,
  transform: (code: string, id: string) =>
    code.includes('import.meta.url') ? { code: startingBuilt(code, id), map: null } : null,
};

export default defineConfig({
  plugins: LONG_FAULTS ? [] : [startsBuilt],
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
    projects: [
      { extends: true, test: { name: 'shared', isolate: false, include: shared } },
      {
        extends: true,
        test: { name: 'alone', isolate: true, include: alone.filter((path) => !onS3.includes(path)) },
      },
      { extends: true, test: { name: 's3', isolate: false, include: onS3, globalSetup: ['./test/ceph.ts'] } },
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
    // Ends what hangs; says nothing about how long anything may take.
    testTimeout: LONG_FAULTS ? 3_600_000 : 300_000,
    hookTimeout: 300_000,
    // How long a condition may take to come true says nothing about whether it does.
    expect: { poll: { timeout: 120_000 } },
    pool: 'forks',
    // Tests wait for processes much of their time.
    maxWorkers: availableParallelism() + 1,
  },
});

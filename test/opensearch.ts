import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

const run = promisify(execFile);

/** Has the plugin for nearest neighbours, as a zip. */
const PLUGIN = 'org.opensearch.plugin:opensearch-knn:2.19.1.0:zip';

const SOURCES = fileURLToPath(new URL('opensearch', import.meta.url));
const INSTALLED = fileURLToPath(new URL('../build/opensearch', import.meta.url));
const PROGRAMS = ['mvn', 'java', 'python3'];

/**
 * Starts one OpenSearch for all tests of a run that need it: on loopback, in a new folder, removed at the end. Without
 * Java and Maven these tests are skipped; in CI that is a failure.
 */
export default async function startOpenSearch(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.BINDERY_TEST_OPENSEARCH) return undefined;
  const missing = PROGRAMS.filter((program) => !existsSync(join('/usr/bin', program)));
  if (missing.length > 0) {
    if (process.env.CI) throw new Error(`${missing.join(', ')} not installed; in CI nothing is skipped.`);
    process.stderr.write(`${missing.join(', ')} not installed: the tests over OpenSearch are skipped.\n`);
    return undefined;
  }
  await install();
  const folder = await mkdtemp(join(tmpdir(), 'bindery-opensearch-'));
  const [port, transport] = [await freePort(), await freePort()];
  const libraries = ['libraries', 'plugin'].map((name) => join(INSTALLED, name, '*')).join(':');
  const node = spawn(
    '/usr/bin/java',
    ['-Xmx512m', '-cp', libraries, join(SOURCES, 'Starter.java'), folder, `${port}`, `${transport}`],
    { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  const ended = new Promise<void>((resolve) => node.once('exit', () => resolve()));
  const started = (async () => {
    for await (const line of createInterface(node.stdout)) if (line === 'started') return;
    throw new Error('OpenSearch did not start');
  })();
  await started;
  node.stdout.resume();
  process.env.BINDERY_TEST_OPENSEARCH = `http://127.0.0.1:${port}`;
  return async () => {
    node.kill();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
}

/** Gets OpenSearch and its plugin once for all runs of this clone. */
async function install(): Promise<void> {
  if (existsSync(INSTALLED)) return;
  const draft = `${INSTALLED}-${process.pid}`;
  await mkdir(join(draft, 'plugin'), { recursive: true });
  const maven = (goal: string, ...options: string[]) =>
    run('/usr/bin/mvn', ['-q', '-B', '-f', join(SOURCES, 'pom.xml'), `dependency:${goal}`, ...options]);
  try {
    await maven('copy-dependencies', `-DoutputDirectory=${join(draft, 'libraries')}`);
    await maven('copy', `-Dartifact=${PLUGIN}`, `-DoutputDirectory=${draft}`, '-Dmdep.stripVersion=true');
    await run('/usr/bin/python3', [
      '-m',
      'zipfile',
      '-e',
      join(draft, 'opensearch-knn.zip'),
      join(draft, 'plugin'),
    ]);
    await rename(draft, INSTALLED);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const REQUIREMENTS = fileURLToPath(new URL('python-clients.txt', import.meta.url));
const FOLDER = fileURLToPath(new URL('../build/python-clients', import.meta.url));
/** What is installed; written last, so that an interrupted installation is done again. */
const INSTALLED = join(FOLDER, 'installed.txt');

/** The interpreter of the virtual environment that has the clients of `python-clients.txt`. */
export const CLIENTS_PYTHON = join(FOLDER, 'bin/python');

/**
 * Writes a program that is this interpreter with the Python package of this clone, and with what Newton compiles in a place that stays: a
 * home folder of a test would have it compiled anew.
 */
export async function writeEnginesPython(folder: string): Promise<string> {
  const program = join(folder, 'python');
  const [source, kernels] = [fileURLToPath(new URL('../python', import.meta.url)), join(FOLDER, 'warp')];
  await writeFile(
    program,
    `#!/bin/sh\nPYTHONPATH='${source}' WARP_CACHE_PATH='${kernels}' exec '${CLIENTS_PYTHON}' "$@"\n`,
    { mode: 0o755 },
  );
  return program;
}

/** What keeps tests of these clients from running, for `canRun`. */
export const missingPythonClients = (): string[] =>
  process.env.BINDERY_TEST_PYTHON_CLIENTS ? [] : ['the clients of test/python-clients.txt'];

/** Installs the clients once for all runs of this clone. Without a registry tests of them are skipped; in CI that is a failure. */
export default async function installPythonClients(): Promise<void> {
  const wanted = await readFile(REQUIREMENTS, 'utf8');
  const installed = await readFile(INSTALLED, 'utf8').catch(() => undefined);
  try {
    if (installed !== wanted) await install(wanted);
    process.env.BINDERY_TEST_PYTHON_CLIENTS = 'installed';
  } catch (error) {
    if (process.env.CI) throw error;
    process.stderr.write(
      `The Python clients cannot be installed, so tests of them are skipped: ${(error as Error).message}\n`,
    );
  }
}

async function install(wanted: string): Promise<void> {
  process.stderr.write('Installing the Python clients that tests use, once, in build/python-clients.\n');
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  await run('/usr/bin/python3', ['-m', 'venv', FOLDER]);
  const options = ['--quiet', '--disable-pip-version-check', '--only-binary', ':all:', '--no-deps'];
  await run(CLIENTS_PYTHON, ['-m', 'pip', 'install', ...options, '-r', REQUIREMENTS]);
  await writeFile(INSTALLED, wanted);
}

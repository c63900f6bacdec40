import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
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
  if (!isOpenSearchInstallable()) return undefined;
  const node = await OpenSearchNode.make();
  process.env.BINDERY_TEST_OPENSEARCH = node.url;
  return () => node.remove();
}

/** Whether Java and Maven are there; in CI they have to be. */
export function isOpenSearchInstallable(): boolean {
  const missing = PROGRAMS.filter((program) => !existsSync(join('/usr/bin', program)));
  if (missing.length === 0) return true;
  if (process.env.CI) throw new Error(`${missing.join(', ')} not installed; in CI nothing is skipped.`);
  process.stderr.write(`${missing.join(', ')} not installed: the tests over OpenSearch are skipped.\n`);
  return false;
}

/** A cluster of one node, on loopback, in a folder of its own. */
export class OpenSearchNode {
  readonly url: string;
  readonly #folder: string;
  readonly #ports: readonly [http: number, transport: number];
  #process: ChildProcess | null = null;

  private constructor(folder: string, ports: readonly [number, number]) {
    this.#folder = folder;
    this.#ports = ports;
    this.url = `http://127.0.0.1:${ports[0]}`;
  }

  static async make(): Promise<OpenSearchNode> {
    await install();
    const folder = await mkdtemp(join(tmpdir(), 'bindery-opensearch-'));
    const node = new OpenSearchNode(folder, [await freePort(), await freePort()]);
    await node.start();
    return node;
  }

  /** Starts it, with what it had when it was ended. */
  async start(): Promise<void> {
    const libraries = ['libraries', 'plugin'].map((name) => join(INSTALLED, name, '*')).join(':');
    const words = ['-Xmx512m', '-cp', libraries, join(SOURCES, 'Starter.java'), this.#folder];
    const node = spawn('/usr/bin/java', [...words, ...this.#ports.map(String)], {
      cwd: this.#folder,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#process = node;
    for await (const line of createInterface(node.stdout)) {
      if (line !== 'started') continue;
      node.stdout.resume();
      return;
    }
    throw new Error('OpenSearch did not start');
  }

  /** Pauses it, or lets it go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.kill(signal);
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#process === null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill(signal);
    await ended;
    this.#process = null;
  }

  async remove(): Promise<void> {
    await this.end();
    await rm(this.#folder, { recursive: true, force: true });
  }
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

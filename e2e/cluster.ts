import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@bindery/sdk';
import { expect } from 'vitest';
import { migrate } from '../packages/server/src/database/migrate.ts';
import { databases, type LocatedDatabase } from '../packages/server/test/databases.ts';
import { makeBucket, type S3Access } from '../packages/server/test/objects/s3/bucket.ts';
import { until } from '../packages/server/test/objects/s3/daemons.ts';
import { freePort } from '../test/free-port.ts';
import { createAuthor, PASSWORD } from './author.ts';
import { bindery, type RunningService, serve, temporaryFolder } from './bindery.ts';

const HAPROXY = '/usr/sbin/haproxy';
const CONFIGURATION = fileURLToPath(new URL('../deploy/haproxy.cfg', import.meta.url));
const NAMES = ['one', 'two', 'three'];
const DRAIN_SECONDS = 3;

export const SERVERS = [0, 1, 2];

/** Simulates clocks that are off by as much as is tolerated. */
const LIBFAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
export const HAS_WRONG_CLOCKS: boolean = existsSync(LIBFAKETIME);
export const CLOCKS = ['+0s', '+29s', '-29s'];

/** Settings that give a server a clock of its own. */
export function wrongClock(at: number): Record<string, string> {
  return { LD_PRELOAD: LIBFAKETIME, FAKETIME: CLOCKS[at] ?? '', FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}

const postgres = databases.find(({ name }) => name === 'PostgreSQL');

/** Returns the requirements of a cluster, and of `more`, that this machine lacks. Throws in CI if any are missing. */
export function missingForCluster(s3: S3Access | null, more: Record<string, boolean> = {}): string[] {
  const installed = { PostgreSQL: postgres, Ceph: s3, haproxy: existsSync(HAPROXY), ...more };
  const missing = Object.entries(installed).flatMap(([name, isThere]) => (isThere ? [] : [name]));
  if (missing.length === 0) return missing;
  if (process.env.CI) throw new Error(`${missing.join(', ')} not installed; in CI nothing is skipped.`);
  process.stderr.write(`${missing.join(', ')} not installed: replicas behind HAProxy are not tested.\n`);
  return missing;
}

export interface ClusterOptions {
  /** The store with the servers' bucket. */
  s3: S3Access | null;
  /** Migrates the empty database to the schema that the servers need. */
  prepare?: (db: LocatedDatabase['db']) => Promise<unknown>;
  /** The program that each server runs initially, by default the one under test. */
  program?: string;
  /** Settings of a single server, which override those of all. */
  settingsOf?: SettingsOf;
}

type SettingsOf = (at: number, env: Record<string, string>) => Promise<Record<string, string>>;

/** Three servers sharing one PostgreSQL and one bucket, behind HAProxy as documented. */
export class Cluster {
  readonly home: string;
  readonly database: LocatedDatabase;
  /** The settings of all servers. */
  readonly env: Record<string, string>;
  /** The load balancer's URL. */
  readonly url: string;
  /** The token of a user who publishes. */
  readonly token: string;
  readonly client: Client;
  readonly #ports: number[];
  readonly #status: string;
  readonly #settingsOf: SettingsOf;
  readonly #servers: (RunningService | null)[] = SERVERS.map(() => null);
  readonly #started: RunningService[] = [];
  #balancer: ChildProcess | undefined;

  private constructor(
    { home, database, env, token, url, status, ports }: ClusterSetup,
    settingsOf: SettingsOf,
  ) {
    this.home = home;
    this.database = database;
    this.env = env;
    this.url = url;
    this.token = token;
    this.client = createClient({ baseUrl: url, token });
    this.#ports = ports;
    this.#status = status;
    this.#settingsOf = settingsOf;
  }

  static async start({ settingsOf = async () => ({}), ...options }: ClusterOptions): Promise<Cluster> {
    const cluster = new Cluster(await prepareCluster(options), settingsOf);
    try {
      await Promise.all(SERVERS.map((at) => cluster.start(at, options.program)));
      await cluster.#balance();
      return cluster;
    } catch (error) {
      await cluster.close();
      throw new Error(`The cluster did not start: ${(error as Error).message}\n${cluster.log}`);
    }
  }

  async start(at: number, program?: string): Promise<void> {
    const dataDir = join(this.home, `server-${at}`);
    const env = { ...this.env, ...(await this.#settingsOf(at, this.env)) };
    const served = await serve({ env, port: String(this.#ports[at]), dataDir, program });
    this.#servers[at] = served;
    this.#started.push(served);
  }

  /** Returns the logs of all servers, including stopped ones. */
  get log(): string {
    return this.#started.map((served) => served.output().stderr).join('');
  }

  /** Returns the log of a server since its last start; empty if it does not run. */
  logOf(at: number): string {
    return this.#servers[at]?.output().stderr ?? '';
  }

  /** Pauses a server, or lets it go on. */
  signal(at: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#servers[at]?.process.kill(signal);
  }

  /** Stops a server with a signal; returns its exit code. */
  async end(at: number, signal: NodeJS.Signals): Promise<number | null> {
    const served = this.#servers[at];
    if (!served) throw new Error(`server ${at} does not run`);
    this.#servers[at] = null;
    return served.end(signal);
  }

  /** Stops a server as an operator does, starts `program` in its place, and waits until it receives requests. */
  async replace(at: number, program?: string): Promise<void> {
    expect(await this.end(at, 'SIGTERM')).toBe(0);
    await this.start(at, program);
    await expect.poll(() => this.#isUp(at)).toBe(true);
  }

  async close(): Promise<void> {
    if (this.#balancer?.exitCode === null) {
      const ended = once(this.#balancer, 'exit');
      this.#balancer.kill();
      await ended;
    }
    for (const served of this.#servers) await served?.dispose();
    await this.database.close();
    await rm(this.home, { recursive: true, force: true });
  }

  async #balance(): Promise<void> {
    const servers = this.#ports.map((port, at) => [`BINDERY_SERVER_${at + 1}`, `127.0.0.1:${port}`]);
    const env = {
      BINDERY_BALANCER: new URL(this.url).host,
      BINDERY_BALANCER_STATUS: new URL(this.#status).host,
      ...Object.fromEntries(servers),
    };
    this.#balancer = spawn(HAPROXY, ['-db', '-f', CONFIGURATION], { env, stdio: 'ignore' });
    for (const at of SERVERS) await until(`the load balancer reaches server ${at}`, () => this.#isUp(at));
  }

  /** Whether the load balancer sends requests to a server. */
  async #isUp(at: number): Promise<boolean> {
    const rows = (await (await fetch(this.#status)).text()).split('\n').map((row) => row.split(','));
    const column = rows[0]?.indexOf('status') ?? -1;
    return rows.some((row) => row[0] === 'others' && row[1] === NAMES[at] && row[column] === 'UP');
  }
}

interface ClusterSetup {
  home: string;
  database: LocatedDatabase;
  env: Record<string, string>;
  token: string;
  url: string;
  status: string;
  ports: number[];
}

async function prepareCluster({ s3, prepare = migrate, program }: ClusterOptions): Promise<ClusterSetup> {
  if (!postgres || !s3) throw new Error('a cluster needs PostgreSQL and an S3 store');
  const database = await postgres.open(prepare);
  const bucket = await makeBucket(s3);
  const [front, status] = [await freePort(), await freePort()];
  const ports = await Promise.all(SERVERS.map(freePort));
  const url = `http://127.0.0.1:${front}`;
  const env = {
    BINDERY_DATABASE_URL: database.location,
    BINDERY_PUBLIC_URL: url,
    BINDERY_OBJECTS: `s3://${bucket.name}`,
    BINDERY_ENCODER: 'off',
    BINDERY_DRAIN: String(DRAIN_SECONDS),
    BINDERY_TRUSTED_PROXIES: 'loopback',
    BINDERY_LOG_LEVEL: 'warn',
    AWS_ENDPOINT_URL: s3.endpoint,
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
  };
  const home = await temporaryFolder();
  const token = program
    ? await createAuthorBy(program, home, env)
    : await createAuthor({ dataDir: home }, 'ada', env);
  return { home, database, env, token, url, status: `http://127.0.0.1:${status}/;csv`, ports };
}

/** Creates the account with the commands of a program that may know another schema; returns a token with write access. */
async function createAuthorBy(
  program: string,
  dataDir: string,
  env: Record<string, string>,
): Promise<string> {
  const admin = (...words: string[]) =>
    bindery(['admin', ...words, '--data-dir', dataDir], { env, program, input: `${PASSWORD}\n` });
  await admin('create-user', 'ada', '--email', 'ada@example.org', '--password-stdin');
  const { stdout } = await admin('create-token', 'ada', '--scope', 'write', '--json');
  return JSON.parse(stdout).token;
}

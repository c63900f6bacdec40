import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@bindery/sdk';
import { pullLibrary, pushFolder } from '@bindery/sdk/libraries';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { databases, type LocatedDatabase } from '../packages/server/test/databases.ts';
import { makeBucket, s3 } from '../packages/server/test/objects/s3/bucket.ts';
import { rounds } from '../test/faults.ts';
import { makeAuthorsToken } from './author.ts';
import { bindery, type Served, serve, temporaryFolder } from './bindery.ts';

const HAPROXY = '/usr/sbin/haproxy';
const CONFIGURATION = fileURLToPath(new URL('../deploy/haproxy.cfg', import.meta.url));
const SERVERS = [0, 1, 2];
/** Each file of a revision says which one it is, so that a mixture shows. */
const FILES = 12;
const DRAIN_SECONDS = 3;

const postgres = databases.find(({ name }) => name === 'PostgreSQL');
const missing = [
  ...(postgres ? [] : ['PostgreSQL']),
  ...(s3 ? [] : ['Ceph']),
  ...(existsSync(HAPROXY) ? [] : ['haproxy']),
];
if (missing.length > 0) {
  if (process.env.CI) throw new Error(`${missing.join(', ')} not installed; in CI nothing is skipped.`);
  process.stderr.write(
    `${missing.join(', ')} not installed: replicas behind a load balancer are not tested.\n`,
  );
}

describe.skipIf(missing.length > 0)('three servers behind the load balancer of the documentation', () => {
  let home: string;
  let database: LocatedDatabase;
  let env: Record<string, string>;
  let ports: number[];
  let balancer: ChildProcess;
  let url: string;
  let statusUrl: string;
  let token: string;
  let client: Client;
  const servers: (Served | null)[] = SERVERS.map(() => null);

  beforeAll(async () => {
    if (!postgres || !s3) return;
    home = await temporaryFolder();
    database = await postgres.open();
    const bucket = await makeBucket(s3);
    const [front = 0, status = 0, ...others] = await freePorts(SERVERS.length + 2);
    ports = others;
    url = `http://127.0.0.1:${front}`;
    statusUrl = `http://127.0.0.1:${status}/;csv`;
    env = {
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
    await Promise.all(SERVERS.map(start));
    balancer = spawn(HAPROXY, ['-db', '-f', CONFIGURATION], {
      env: {
        BINDERY_BALANCER: `127.0.0.1:${front}`,
        BINDERY_BALANCER_STATUS: `127.0.0.1:${status}`,
        ...Object.fromEntries(ports.map((port, at) => [`BINDERY_SERVER_${at + 1}`, `127.0.0.1:${port}`])),
      },
      stdio: 'ignore',
    });
    while ((await statusOf('/readyz')) !== 200) await wait(100);
    token = await makeAuthorsToken(oneOf(0), env);
    client = createClient({ baseUrl: url, token });
  });
  afterAll(async () => {
    if (missing.length > 0) return;
    const ended = once(balancer, 'exit');
    balancer.kill();
    await ended;
    for (const one of servers) await one?.dispose();
    await database.close();
    await rm(home, { recursive: true, force: true });
  });
  afterEach(async () => {
    await Promise.all(SERVERS.filter((at) => servers[at] === null).map(start));
  });

  async function start(at: number): Promise<void> {
    servers[at] = await serve({ env, port: String(ports[at]), dataDir: join(home, `server-${at}`) });
  }

  function oneOf(at: number): Served {
    const one = servers[at];
    if (!one) throw new Error(`server ${at} does not run`);
    return one;
  }

  async function end(at: number, signal: NodeJS.Signals): Promise<number | null> {
    const one = oneOf(at);
    servers[at] = null;
    return one.end(signal);
  }

  /** The status of a GET through the balancer; 0 where the connection broke. */
  const statusOf = (path: string) =>
    fetch(url + path).then(
      ({ status }) => status,
      () => 0,
    );

  /** Whether the balancer sends requests to a server. */
  async function isUp(at: number): Promise<boolean> {
    const rows = (await (await fetch(statusUrl)).text()).split('\n').map((row) => row.split(','));
    const column = rows[0]?.indexOf('status') ?? -1;
    const name = ['one', 'two', 'three'][at];
    return rows.some((row) => row[0] === 'others' && row[1] === name && row[column] === 'UP');
  }

  /** Publishes one revision after the other, each however often it takes; answers the last one. */
  async function publishUntil(isOver: (revision: number) => boolean, library: string): Promise<number> {
    const folder = join(home, library);
    await mkdir(join(folder, 'arm'), { recursive: true });
    const state = { cacheFolder: join(home, 'cache'), stateFolder: join(home, 'state'), force: true };
    for (let revision = 1; ; revision++) {
      for (let file = 0; file < FILES; file++) await writeFile(fileIn(folder, file), textOf(revision, file));
      await persist(() => pushFolder(client, addressOf(library), folder, state));
      if (isOver(revision)) return revision;
    }
  }

  /** Pulls until it is told to stop; each pull is of one revision. Answers how many it pulled. */
  async function pullUntil(isOver: () => boolean, library: string): Promise<number> {
    const folder = join(home, `${library}-pulled`);
    const state = { cacheFolder: join(home, 'pull-cache'), stateFolder: join(home, 'pull-state') };
    for (let pulls = 0; ; pulls++) {
      if (isOver()) return pulls;
      await persist(() => pullLibrary(client, addressOf(library), folder, { ...state, cache: false }));
      const revision = /^revision (\d+)/.exec(await readFile(fileIn(folder, 0), 'utf8'))?.[1];
      for (let file = 0; file < FILES; file++) {
        expect(await readFile(fileIn(folder, file), 'utf8')).toBe(textOf(Number(revision), file));
      }
    }
  }

  test('any of them may be killed at any moment: no revision is lost or mixed', async () => {
    const revisions = rounds({ short: 5, long: 250 });
    const kills = rounds({ short: 2, long: 60 });
    const libraries = ['left', 'right'];
    await Promise.all(libraries.map((library) => publishUntil(() => true, library)));
    let killed = 0;
    let published = 0;
    const pulling = libraries.map((library) => pullUntil(() => published === libraries.length, library));
    const publishing = libraries.map(async (library) => {
      const last = await publishUntil((revision) => revision >= revisions && killed >= kills, library);
      published++;
      return last;
    });
    for (let at = 0; published < libraries.length; at = (at + 1) % SERVERS.length) {
      await end(at, 'SIGKILL');
      killed++;
      await start(at);
      await wait(500 * Math.random());
    }
    const last = await Promise.all(publishing);
    for (const pulls of await Promise.all(pulling)) expect(pulls).toBeGreaterThan(0);
    const fsck = await bindery(['admin', 'fsck', '--read-data', '--json', '--data-dir', oneOf(0).dataDir], {
      env,
    });
    expect(fsck).toMatchObject({ exitCode: 0 });
    for (const [nth, library] of libraries.entries()) {
      const folder = join(home, `${library}-last`);
      const state = { cacheFolder: join(home, 'last-cache'), stateFolder: join(home, 'last-state') };
      await pullLibrary(client, addressOf(library), folder, { ...state, cache: false });
      for (let file = 0; file < FILES; file++) {
        expect(await readFile(fileIn(folder, file), 'utf8')).toBe(textOf(last[nth] ?? 0, file));
      }
    }
  });

  test('a rolling restart fails no request that may be repeated', async () => {
    await publishUntil(() => true, 'steady');
    const failures: string[] = [];
    let over = false;
    let asked = 0;
    const asking = Array.from({ length: 4 }, async (_, at) => {
      const paths = ['/namespaces/ada/libraries/steady', '/libraries', '/namespaces', '/openapi.json'];
      while (!over) {
        const path = paths[at % paths.length] ?? '';
        const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } }).catch(
          (error: Error) => error,
        );
        asked++;
        if (answer instanceof Error) failures.push(`${path}: ${answer.message}`);
        else if (!answer.ok) failures.push(`${path}: ${answer.status}`);
        else await answer.arrayBuffer();
      }
    });
    for (const at of SERVERS) {
      expect(await end(at, 'SIGTERM')).toBe(0);
      await start(at);
      await expect.poll(() => isUp(at)).toBe(true);
    }
    over = true;
    await Promise.all(asking);
    expect(failures).toEqual([]);
    expect(asked).toBeGreaterThan(50);
  });
});

const addressOf = (name: string) => ({ namespace: 'ada', name });
const fileIn = (folder: string, file: number) => join(folder, 'arm', `part-${file}.obj`);
const textOf = (revision: number, file: number) => `revision ${revision} of part ${file}\n`.repeat(100);

/** A person does the same again where a connection broke. */
async function persist<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 20) throw error;
      await wait(200);
    }
  }
}

async function freePorts(count: number): Promise<number[]> {
  const probes = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    probes.map(async (probe) => {
      await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
      return (probe.address() as { port: number }).port;
    }),
  );
  await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))));
  return ports;
}

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appliedMigrations } from '../packages/server/src/database/migrate.ts';
import { migrations } from '../packages/server/src/database/migrations/index.ts';
import { s3 } from '../packages/server/test/objects/s3/bucket.ts';
import { LONG_FAULTS } from '../test/faults.ts';
import { bindery, temporaryFolder } from './bindery.ts';
import { Cluster, missingForCluster, SERVERS } from './cluster.ts';
import { extractPreviousRelease } from './previous-release.ts';
import { type Attempt, expectRevision, publishUntil, pullUntil } from './revisions.ts';

const LIBRARY = 'steady';
const THIS_RELEASE = undefined;
/** In the long form: how often all servers are upgraded and rolled back. */
const ROUNDS = 5;
const PATHS = [
  `/namespaces/ada/libraries/${LIBRARY}`,
  `/namespaces/ada/libraries/${LIBRARY}/search?q=arm`,
  `/library-search?q=arm&libraries=ada/${LIBRARY}`,
  '/libraries',
];
/** Milliseconds between requests of one caller, and between pulls or pushes: servers start at the same time. */
const PAUSE = 100;
const TRANSFER_PAUSE = 500;

const missing = missingForCluster(s3);

describe.skipIf(missing.length > 0)('three servers behind the load balancer, under load', () => {
  let folder: string;
  /** Undefined if the history lacks it: servers are then replaced by this release only, without failed requests. */
  let releaseBefore: string | typeof THIS_RELEASE;
  let cluster: Cluster;

  beforeAll(async () => {
    folder = await temporaryFolder();
    releaseBefore = await extractPreviousRelease(folder);
    if (releaseBefore === undefined)
      process.stderr.write(
        'Servers are replaced by this release alone: the one before is not in the history.\n',
      );
    if (LONG_FAULTS) expect(releaseBefore, 'it is not in the history of this clone').toBeDefined();
    const olderServers = { program: releaseBefore, prepare: async () => {} };
    cluster = await Cluster.start({ s3, ...(LONG_FAULTS ? olderServers : {}) });
  });
  afterAll(async () => {
    await cluster?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const admin = (...words: string[]) =>
    bindery(['admin', ...words, '--json', '--data-dir', cluster.home], { env: cluster.env });

  test('are replaced one by one with the previous release and with this one, and no request fails', async () => {
    await publishUntil(cluster, LIBRARY, { isOver: () => true, attempt: once });
    const load = startLoad();
    if (LONG_FAULTS) await upgradeAndPutBack();
    else await cluster.replace(0, releaseBefore);
    for (const at of SERVERS) await cluster.replace(at, THIS_RELEASE);

    const { failures, last, ...counts } = await load.end();
    expect(failures, cluster.log).toEqual([]);
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(5);
    const fsck = await admin('fsck', '--read-data');
    if (LONG_FAULTS) process.stdout.write(`${JSON.stringify(counts)}; fsck: ${fsck.stdout}`);
    expect(fsck).toMatchObject({ exitCode: 0 });
    await expectRevision(cluster, LIBRARY, last);
  });

  /** Starts from the schema of the previous release, which only the command migrates. */
  async function upgradeAndPutBack(): Promise<void> {
    const applied = await appliedMigrations(cluster.database.db);
    const pending = Object.keys(migrations).filter((name) => !applied.includes(name));
    if (pending.length > 0) {
      const words = ['serve', '--port', '0', '--data-dir', join(folder, 'early')];
      const early = await bindery(words, { env: cluster.env });
      expect(early).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('bindery admin migrate') });
    }
    const migrated = await admin('migrate');
    expect(JSON.parse(migrated.stdout)).toMatchObject({ applied: pending, pending: [] });
    for (let round = 0; round < ROUNDS; round++) {
      for (const at of SERVERS) await cluster.replace(at, THIS_RELEASE);
      for (const at of SERVERS) await cluster.replace(at, releaseBefore);
    }
  }

  /** Simulates users who publish, pull, read and search until it is stopped. */
  function startLoad() {
    let isEnding = false;
    const isOver = () => isEnding;
    const failures: string[] = [];
    const noted: Attempt = async (work) => {
      try {
        return await work();
      } catch (error) {
        failures.push(String(error));
        throw error;
      } finally {
        await wait(TRANSFER_PAUSE);
      }
    };
    const transferring = Promise.allSettled([
      publishUntil(cluster, LIBRARY, { isOver, attempt: noted }),
      pullUntil(cluster, LIBRARY, { isOver, attempt: noted }),
    ]);
    const asking = PATHS.map((path) => askUntil(path, isOver, failures));
    return {
      async end() {
        isEnding = true;
        const asked = (await Promise.all(asking)).reduce((sum, count) => sum + count);
        const [published, pulled] = await transferring;
        const last = published.status === 'fulfilled' ? published.value : 0;
        return {
          ...{ failures, last, asked, registers: last },
          pulls: pulled.status === 'fulfilled' ? pulled.value : 0,
        };
      },
    };
  }

  /** Sends a GET repeatedly, without retries; returns the number of requests. */
  async function askUntil(path: string, isOver: () => boolean, failures: string[]): Promise<number> {
    const headers = { authorization: `Bearer ${cluster.token}` };
    for (let asked = 0; ; asked++) {
      if (isOver()) return asked;
      const answer = await fetch(cluster.url + path, { headers }).catch((error: Error) => error);
      if (answer instanceof Error) failures.push(`${path}: ${answer.message}`);
      else if (answer.ok) await answer.arrayBuffer();
      else failures.push(`${path}: ${answer.status} ${await answer.text()}`);
      await wait(PAUSE);
    }
  }
});

const once: Attempt = (work) => work();

import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { s3 } from '../packages/server/test/objects/s3/bucket.ts';
import {
  type BlackholeProxy,
  startBlackholeProxy,
} from '../packages/server/test/replicas/blackhole-proxy.ts';
import { LONG_FAULTS, rounds } from '../test/faults.ts';
import { bindery } from './bindery.ts';
import { CLOCKS, Cluster, HAS_WRONG_CLOCKS, missingForCluster, SERVERS, wrongClock } from './cluster.ts';
import { expectRevision, persist, publishUntil, pullUntil } from './revisions.ts';

const MAX_PARTITION_MS = LONG_FAULTS ? 10_000 : 500;
const LIBRARIES = ['left', 'right'];

const missing = missingForCluster(s3, { libfaketime: HAS_WRONG_CLOCKS });

describe.skipIf(missing.length > 0)('three servers with wrong clocks behind the load balancer', () => {
  let cluster: Cluster;
  const networks: BlackholeProxy[] = [];

  beforeAll(async () => {
    cluster = await Cluster.start({ s3, settingsOf });
  });
  afterAll(async () => {
    await cluster?.close();
    for (const network of networks) await network.close();
  });

  /** Gives each server its own connection to the database and its own clock. */
  async function settingsOf(at: number, { BINDERY_DATABASE_URL: database = '' }: Record<string, string>) {
    networks[at] ??= await startBlackholeProxy(database);
    return { BINDERY_DATABASE_URL: networks[at].url, ...wrongClock(at) };
  }

  async function kill(at: number): Promise<void> {
    await cluster.end(at, 'SIGKILL');
    await cluster.start(at);
  }

  async function cutOff(at: number): Promise<void> {
    networks[at]?.setBlackhole(true);
    await wait(MAX_PARTITION_MS * Math.random());
    networks[at]?.setBlackhole(false);
  }

  test('lose or mix no revision when they are killed or cut off from the database at random', async () => {
    const registers = rounds({ short: 5, long: 250 });
    const faults = { kills: rounds({ short: 2, long: 60 }), partitions: rounds({ short: 1, long: 20 }) };
    const done = { kills: 0, partitions: 0 };
    const publish = (library: string, isOver: (revision: number) => boolean) =>
      publishUntil(cluster, library, { isOver, attempt: persist });
    await Promise.all(LIBRARIES.map((library) => publish(library, () => true)));
    let published = 0;
    const isOver = () => published === LIBRARIES.length;
    const pulling = LIBRARIES.map((library) => pullUntil(cluster, library, { isOver, attempt: persist }));
    const publishing = LIBRARIES.map(async (library) => {
      const last = await publish(
        library,
        (revision) =>
          revision >= registers && done.kills >= faults.kills && done.partitions >= faults.partitions,
      );
      published++;
      return last;
    });
    for (let turn = 0; !isOver(); turn++) {
      const [at = 0, other = 0] = SERVERS.map((server) => (server + turn) % SERVERS.length);
      const cuts = turn % 3 === 1;
      await Promise.all([kill(at), cuts && cutOff(other)]);
      done.kills++;
      if (cuts) done.partitions++;
      await wait(500 * Math.random());
    }
    const last = await Promise.all(publishing);
    const pulls = await Promise.all(pulling);
    for (const count of pulls) expect(count).toBeGreaterThan(0);
    const words = ['admin', 'fsck', '--read-data', '--json', '--data-dir', cluster.home];
    const fsck = await bindery(words, { env: cluster.env });
    if (LONG_FAULTS) {
      const counts = `${last.join(' + ')} registers, ${pulls.join(' + ')} pulls`;
      const disturbed = `${done.kills} kills, ${done.partitions} partitions, clocks ${CLOCKS.join(', ')}`;
      process.stdout.write(`${counts}, ${disturbed}; fsck: ${fsck.stdout}`);
    }
    expect(fsck).toMatchObject({ exitCode: 0 });
    for (const [nth, library] of LIBRARIES.entries()) await expectRevision(cluster, library, last[nth] ?? 0);
  });
});

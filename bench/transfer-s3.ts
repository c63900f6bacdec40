import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER } from '@bindery/server/testing';
import { makeBucket } from '../packages/server/test/objects/s3/bucket.ts';
import { type Ceph, startCeph } from '../packages/server/test/objects/s3/ceph.ts';
import { writeLargeFile, writeModels } from '../test/generated-files.ts';
import { cpuSeconds, cpuSecondsOf } from './processes.ts';
import { type BenchmarkRow, limitRow, ratioRow, scaled } from './results.ts';
import { type CommandWorld, withCommand } from './world.ts';

/** Ceph stores all of it in memory, of which it has 4 GiB. */
const LARGE = { files: 2, bytes: 512 * 1024 ** 2 };

/** The cost of one transfer: wall-clock seconds, CPU seconds of each participant, and requests to the bucket. */
type TransferCost = Record<'seconds' | 'client' | 'service' | 'ceph' | 'requests', number>;

/** Pushes to a bucket and pulls from it, compared with `rclone copy` to and from the same Ceph. */
export async function benchBucket(): Promise<BenchmarkRow[]> {
  const ceph = await startCeph();
  try {
    const { name } = await makeBucket(ceph);
    const bench = async (world: CommandWorld) => {
      const [small, large] = [join(world.folder, 'small'), join(world.folder, 'large')];
      const files = scaled(10_000);
      writeModels(small, new Array<number>(files).fill(8 * 1024));
      for (let at = 0; at < LARGE.files; at++) {
        writeLargeFile(join(large, `scan-${at}`, 'cloud.ply'), scaled(LARGE.bytes));
      }
      const transfers = { world, ceph, bucket: name };
      const many = `${files.toLocaleString('en')} files of 8 KiB`;
      const few = `${LARGE.files} files of ${scaled(512)} MiB`;
      return [
        ...(await benchTransfers(transfers, { source: small, library: 'small', name: many, files }, 3)),
        ...(await benchTransfers(
          transfers,
          { source: large, library: 'large', name: few, files: LARGE.files },
          1,
        )),
      ];
    };
    return await withCommand(bench, storedIn(name, ceph));
  } finally {
    await ceph.close();
  }
}

/** The settings of a service that stores its objects in a bucket. */
function storedIn(bucket: string, { endpoint, accessKeyId, secretAccessKey }: Ceph): Record<string, string> {
  return {
    BINDERY_OBJECTS: `s3://${bucket}/libraries`,
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  };
}

async function benchTransfers(
  { world, ceph, bucket }: { world: CommandWorld; ceph: Ceph; bucket: string },
  { source, library, name, files }: { source: string; library: string; name: string; files: number },
  rounds: number,
): Promise<BenchmarkRow[]> {
  const costs = { push: [], again: [], copyTo: [], pull: [], copyFrom: [] } as Record<string, TransferCost[]>;
  const measure = async (work: keyof typeof costs, command: readonly string[]) => {
    const used = async () =>
      [cpuSecondsOf([world.pid]), cpuSecondsOf(ceph.pids), await ceph.requests()] as const;
    const before = await used();
    const start = performance.now();
    const client = cpuSeconds(command, world.env).seconds;
    const seconds = (performance.now() - start) / 1_000;
    const [service, store, requests] = (await used()).map((value, at) => value - (before[at] ?? 0));
    costs[work]?.push({ seconds, client, service, ceph: store, requests } as TransferCost);
  };
  for (let round = 0; round < rounds; round++) {
    const address = `${OWNER}/${library}-${round}`;
    const remote = `:s3:${bucket}/rclone/${library}-${round}`;
    const push = [world.command, 'library', 'push', source, address];
    const [pulled, copied] = [join(world.folder, 'pulled'), join(world.folder, 'copied')];
    // Every file is read and hashed again.
    rmSync(join(world.env.XDG_CACHE_HOME ?? '', 'bindery/hashes'), { recursive: true, force: true });
    await measure('copyTo', rclone(ceph, source, remote));
    await measure('push', push);
    await measure('again', push);
    await measure('copyFrom', rclone(ceph, remote, copied));
    world.freshCache();
    await measure('pull', [world.command, 'library', 'pull', address, '-o', pulled]);
    for (const folder of [pulled, copied]) rmSync(folder, { recursive: true });
  }
  const cost = (work: keyof typeof costs) => {
    const sorted = (costs[work] ?? []).toSorted((a, b) => a.seconds - b.seconds);
    return sorted[sorted.length >> 1] as TransferCost;
  };
  const again = cost('again');
  return [
    costRow(`push ${name} to a bucket, verified and durable`, files, cost('push'), cost('copyTo'), 1.1),
    {
      ...limitRow(`push ${name} to a bucket with nothing changed`, again.seconds, 1, 's'),
      bindery: described(again, files),
    },
    costRow(`pull ${name} from a bucket, verified`, files, cost('pull'), cost('copyFrom'), 1),
  ];
}

function rclone({ endpoint, accessKeyId, secretAccessKey }: Ceph, from: string, to: string): string[] {
  return [
    // Debian's rclone exits with an error if this is set.
    ...['env', '--unset=AWS_CA_BUNDLE'],
    ...['rclone', 'copy', from, to, '--transfers', '16', '--checkers', '16', '--s3-no-check-bucket'],
    ...['--s3-provider', 'Ceph', '--s3-endpoint', endpoint],
    ...['--s3-access-key-id', accessKeyId, '--s3-secret-access-key', secretAccessKey],
  ];
}

function costRow(
  work: string,
  files: number,
  own: TransferCost,
  peer: TransferCost,
  target: number,
): BenchmarkRow {
  const ratio = own.seconds / peer.seconds;
  const processors = ({ client, service, ceph }: TransferCost) => client + service + ceph;
  const row = { work, bindery: described(own, files), peer: `rclone copy ${described(peer, files)}` };
  const compared = ratioRow(row, ratio, { most: target, unit: '× its time' });
  const cost = (processors(own) / processors(peer)).toFixed(2);
  return { ...compared, ratio: `${compared.ratio}, ${cost} × its processors` };
}

function described({ seconds, client, service, ceph, requests }: TransferCost, files: number): string {
  const context = `client ${client.toFixed(1)}, service ${service.toFixed(1)}, Ceph ${ceph.toFixed(1)}`;
  return `${seconds.toFixed(1)} s (processors: ${context}; ${(requests / files).toFixed(2)} requests a file)`;
}

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { PresignedUrls } from '../packages/server/src/adapters/objects/disk/presigned-urls.ts';
import { Keys } from '../packages/server/src/adapters/objects/s3/keys.ts';
import { PresignedRequests } from '../packages/server/src/adapters/objects/s3/presigned-requests.ts';
import { makeBucket, type TestBucket } from '../packages/server/test/objects/s3/bucket.ts';
import { type Ceph, startCeph } from '../packages/server/test/objects/s3/ceph.ts';
import { cpuSeconds, cpuSecondsOf } from './cpu-seconds.ts';
import type { BenchmarkRow } from './results-table.ts';
import { writeEqualFiles, writeLargeFile } from './transfer-corpus.ts';
import { type World, withWorld } from './transfer-world.ts';

const SMALL = { files: 10_000, bytes: 8 * 1024, rounds: 3 };
/** Ceph stores all of it in memory, of which it has 4 GiB. */
const LARGE = { files: 2, bytes: 512 * 1024 ** 2, rounds: 1 };
const PRESIGNED = 1_000;

/** The cost of one transfer: wall-clock seconds, CPU seconds of each participant, and requests to the bucket. */
interface TransferCost {
  seconds: number;
  client: number;
  service: number;
  ceph: number;
  requests: number;
}

/** Pushes to a bucket and pulls from it, compared with `rclone copy` to and from the same Ceph. */
export async function benchBucket(parent?: string, files = SMALL.files): Promise<BenchmarkRow[]> {
  const ceph = await startCeph();
  try {
    const bucket = await makeBucket(ceph);
    const settings = {
      BINDERY_OBJECTS: `s3://${bucket.name}/libraries`,
      AWS_ENDPOINT_URL: ceph.endpoint,
      AWS_ACCESS_KEY_ID: ceph.accessKeyId,
      AWS_SECRET_ACCESS_KEY: ceph.secretAccessKey,
    };
    return await withWorld(
      parent,
      async (world) => [...(await transfers(world, ceph, bucket, files)), presigning(bucket)],
      settings,
    );
  } finally {
    await ceph.close();
  }
}

async function transfers(
  world: World,
  ceph: Ceph,
  bucket: TestBucket,
  files: number,
): Promise<BenchmarkRow[]> {
  const taken = new Meter(world, ceph);
  const rows: BenchmarkRow[] = [];
  const small = join(world.folder, 'small');
  writeEqualFiles(small, files, SMALL.bytes);
  const large = join(world.folder, 'large');
  for (let at = 0; at < LARGE.files; at++) {
    writeLargeFile(join(large, `scan-${at}`, 'cloud.ply'), LARGE.bytes);
  }
  const works = [
    { name: `${files.toLocaleString('en')} files of 8 KiB`, library: 'small', files, rounds: SMALL.rounds },
    { name: `${LARGE.files} files of 512 MiB`, library: 'large', files: LARGE.files, rounds: LARGE.rounds },
  ];
  for (const { name, library, files, rounds } of works) {
    const source = join(world.folder, library);
    const measured: Record<'pushes' | 'again' | 'copiesTo' | 'pulls' | 'copiesFrom', TransferCost[]> = {
      ...{ pushes: [], again: [], copiesTo: [], pulls: [], copiesFrom: [] },
    };
    for (let round = 0; round < rounds; round++) {
      const address = `bench/${library}-${round}`;
      const remote = `:s3:${bucket.name}/rclone/${library}-${round}`;
      const push = [world.command, 'library', 'push', source, address];
      const [pulled, copied] = [join(world.folder, 'pulled'), join(world.folder, 'copied')];
      forgetHashes(world);
      measured.copiesTo.push(await taken.by(rclone(ceph, source, remote)));
      measured.pushes.push(await taken.by(push));
      measured.again.push(await taken.by(push));
      measured.copiesFrom.push(await taken.by(rclone(ceph, remote, copied)));
      world.freshCache();
      measured.pulls.push(await taken.by([world.command, 'library', 'pull', address, '-o', pulled]));
      for (const folder of [pulled, copied]) rmSync(folder, { recursive: true });
    }
    const { pushes, again, copiesTo, pulls, copiesFrom } = measured;
    rows.push(comparisonRow(`push ${name} to a bucket, verified and durable`, files, pushes, copiesTo, 1.1));
    rows.push(unchanged(`push ${name} to a bucket with nothing changed`, median(again), files));
    rows.push(comparisonRow(`pull ${name} from a bucket, verified`, files, pulls, copiesFrom, 1));
  }
  return rows;
}

/** Runs commands and measures their cost. */
class Meter {
  readonly #world: World;
  readonly #ceph: Ceph;

  constructor(world: World, ceph: Ceph) {
    this.#world = world;
    this.#ceph = ceph;
  }

  async by(command: readonly string[]): Promise<TransferCost> {
    const before = await this.#now();
    const start = performance.now();
    const client = cpuSeconds(command, this.#world.env).seconds;
    const seconds = (performance.now() - start) / 1_000;
    const after = await this.#now();
    return {
      seconds,
      client,
      service: after.service - before.service,
      ceph: after.ceph - before.ceph,
      requests: after.requests - before.requests,
    };
  }

  async #now() {
    return {
      service: cpuSecondsOf([this.#world.pid]),
      ceph: cpuSecondsOf(this.#ceph.pids),
      requests: await this.#ceph.requests(),
    };
  }
}

function rclone({ endpoint, accessKeyId, secretAccessKey }: Ceph, from: string, to: string): string[] {
  const options = {
    provider: 'Ceph',
    endpoint,
    'access-key-id': accessKeyId,
    'secret-access-key': secretAccessKey,
  };
  return [
    // Debian's rclone exits with an error if this is set.
    ...['env', '--unset=AWS_CA_BUNDLE'],
    ...['rclone', 'copy', from, to, '--transfers', '16', '--checkers', '16', '--s3-no-check-bucket'],
    ...Object.entries(options).flatMap(([name, value]) => [`--s3-${name}`, value]),
  ];
}

/** Makes the command line read and hash every file again. */
function forgetHashes({ env }: World): void {
  rmSync(join(env.XDG_CACHE_HOME ?? '', 'bindery/hashes'), { recursive: true, force: true });
}

function comparisonRow(
  work: string,
  files: number,
  own: TransferCost[],
  peer: TransferCost[],
  target: number,
): BenchmarkRow {
  const [bindery, other] = [median(own), median(peer)];
  const ratio = bindery.seconds / other.seconds;
  return {
    work,
    bindery: described(bindery, files),
    peer: `rclone copy ${described(other, files)}`,
    ratio: `${ratio.toFixed(2)} × its time, ${(processors(bindery) / processors(other)).toFixed(2)} × its processors`,
    target: `at most ${target} × its time`,
    met: ratio <= target,
  };
}

function unchanged(work: string, taken: TransferCost, files: number): BenchmarkRow {
  return {
    work,
    bindery: described(taken, files),
    peer: '',
    ratio: '',
    target: '1 s',
    met: taken.seconds <= 1,
  };
}

function presigning({ signer, name }: TestBucket): BenchmarkRow {
  const requests = new PresignedRequests({
    location: { bucket: name, prefix: '', endpoint: 'http://127.0.0.1', region: 'us-east-1' },
    keys: new Keys(''),
    signer,
    verification: 'signed-payload',
    urls: new PresignedUrls(Buffer.alloc(32), Date.now),
    publicUrl: () => '',
    clock: Date.now,
  });
  const rounds = Array.from({ length: 5 }, () => {
    const before = process.threadCpuUsage();
    for (let at = 0; at < PRESIGNED; at++) {
      const sha256 = at.toString(16).padStart(64, '0');
      requests.get({ storeId: 'lab', sha256, size: LARGE.bytes }, `scan-${at}.ply`, 3_600);
    }
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  });
  const taken = rounds.toSorted((a, b) => a - b)[rounds.length >> 1] ?? Number.NaN;
  return {
    work: `${PRESIGNED.toLocaleString('en')} presigned URLs`,
    bindery: `${taken.toFixed(0)} ms of processor`,
    peer: '',
    ratio: '',
    target: '50 ms',
    met: taken <= 50,
  };
}

function described(taken: TransferCost, files: number): string {
  const { seconds, client, service, ceph, requests } = taken;
  const parts = [`client ${client.toFixed(1)}`, `service ${service.toFixed(1)}`, `Ceph ${ceph.toFixed(1)}`];
  return `${seconds.toFixed(1)} s (processors: ${parts.join(', ')}; ${(requests / files).toFixed(2)} requests a file)`;
}

function processors({ client, service, ceph }: TransferCost): number {
  return client + service + ceph;
}

function median(all: readonly TransferCost[]): TransferCost {
  const middle = all.toSorted((a, b) => a.seconds - b.seconds)[all.length >> 1];
  if (!middle) throw new Error('nothing was measured');
  return middle;
}

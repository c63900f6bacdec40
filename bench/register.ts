import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { MANIFEST_PATH } from '@bindery/contract';
import {
  Client,
  FILE_COUNT,
  generateFile,
  generateManifest,
  pathOf,
  seedDataFolder,
  seedLibrary,
} from '@bindery/server/testing';
import { peakMebibytes, withFolder } from './processes.ts';
import { type BenchmarkRow, limitRow, quantile, timed } from './results.ts';
import { withService } from './world.ts';

const LIBRARY = 'largest';
/** One in this many files is new in the second revision. */
const NEW_ONE_IN = 100;

/**
 * Registers the largest manifest, with 1 % of its files new, on a service in a separate process, while other clients
 * read. The previous revision is written to the data folder directly, without the bytes of its files: a register does
 * not read unchanged files.
 */
export function benchRegister(): Promise<BenchmarkRow[]> {
  return withFolder(async (folder) => {
    const token = await seedDataFolder(folder, async (seeding) => {
      const manifest = generateManifest(() => 0);
      const library = { name: LIBRARY, manifest, visibility: 'private' } as const;
      await seedLibrary(seeding, { ...library, registeredAgain: true });
      return seeding.token;
    });
    return withService(folder, {}, async ({ url, pid }) => {
      const client = new Client(url, token);
      const isNew = (number: number) => number % NEW_ONE_IN === 0;
      const manifest = generateManifest((number) => (isNew(number) ? 1 : 0));
      const newFiles = Array.from({ length: FILE_COUNT }, (_, number) => number)
        .filter(isNew)
        .map((number) => generateFile(number, 1));
      for (let at = 0; at < newFiles.length; at += 1_000)
        await client.upload(LIBRARY, newFiles.slice(at, at + 1_000));
      await client.upload(LIBRARY, [{ path: MANIFEST_PATH, content: manifest }]);

      const library = pathOf(LIBRARY);
      const read = [
        library,
        '/libraries',
        `${library}/assets/a777`,
        '/healthz',
        `${library}/search?q=asset+777`,
      ];
      const stop = probe(client, read);
      const body = { expectedRevision: 1, manifestSha256: hash('sha256', manifest) };
      const seconds = (await timed(() => client.register(LIBRARY, body))) / 1_000;
      const others = quantile(await stop(), 0.99);

      const size = `${Math.round(manifest.length / 1024 ** 2)} MiB, ${newFiles.length.toLocaleString('en')} new`;
      const work = `register ${FILE_COUNT.toLocaleString('en')} files (${size})`;
      return [
        limitRow(work, seconds, 10, 's', 1),
        limitRow('other requests meanwhile, p99', others, 50, 'ms', 1),
        limitRow('memory of the service, peak', peakMebibytes(pid), 1_536, 'MiB'),
      ];
    });
  });
}

const CLIENTS = 4;

/** Sends requests in turn until it is stopped, from several clients; returns the latencies in milliseconds. */
function probe(client: Client, paths: readonly string[]) {
  const latencies: number[] = [];
  let isOver = false;
  const probing = Array.from({ length: CLIENTS }, async (_, at) => {
    for (let turn = at; !isOver; turn++) {
      latencies.push(await timed(() => client.send('GET', paths[turn % paths.length] ?? '')));
      await delay(5);
    }
  });
  return async () => {
    isOver = true;
    await Promise.all(probing);
    return latencies;
  };
}

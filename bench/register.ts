import { type ChildProcess, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MANIFEST_PATH } from '@bindery/contract';
import { FILE_COUNT, generateFile, generateManifest } from './large-manifest.ts';
import { Publisher } from './publisher.ts';
import { OWNER, seedDataFolder, seedLibrary } from './seed.ts';

const COMMAND = fileURLToPath(new URL('../packages/cli/bin/bindery.js', import.meta.url));
const LIBRARY = `/namespaces/${OWNER}/libraries/largest`;

/** One in this many files is new in the second revision. */
const NEW_ONE_IN = 100;

/** Clients that send other requests during the register, and their pause between requests in milliseconds. */
const PROBES = 4;
const PAUSE = 5;

export interface RegisterFigures {
  manifestMebibytes: number;
  files: number;
  newFiles: number;
  seconds: number;
  /** Latencies of other requests during the register, in milliseconds. */
  others: { requests: number; p50: number; p99: number; max: number };
  /** Peak memory of the service. */
  peakMebibytes: number;
}

/**
 * Registers the largest manifest, with 1 % of its files new, on a service in a separate process, while other clients
 * read. The previous revision is written to the data folder directly, without the bytes of its files: a register does
 * not read unchanged files.
 */
export async function benchRegister(): Promise<RegisterFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-bench-register-'));
  try {
    const token = await seed(folder);
    const service = await serve(folder);
    try {
      return await measure(service, token);
    } finally {
      service.process.kill('SIGTERM');
      await once(service.process, 'exit');
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function seed(dataDir: string): Promise<string> {
  return seedDataFolder(dataDir, async (seeding) => {
    await seedLibrary(seeding, {
      name: 'largest',
      manifest: generateManifest(() => 0),
      artifacts: [],
      visibility: 'private',
      registeredAgain: true,
    });
    return seeding.token;
  });
}

interface Service {
  process: ChildProcess;
  url: string;
}

async function serve(dataDir: string): Promise<Service> {
  const child = spawn(process.execPath, [COMMAND, 'serve', '--port', '0', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, BINDERY_LOG_LEVEL: 'silent' },
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listening on (\S+)/.exec(line)?.[1];
    if (url) return { process: child, url };
  }
  throw new Error('The service did not start.');
}

async function measure(service: Service, token: string): Promise<RegisterFigures> {
  const client = new Publisher(service.url, token, LIBRARY);
  const isNew = (number: number) => number % NEW_ONE_IN === 0;
  const manifest = generateManifest((number) => (isNew(number) ? 1 : 0));
  const newFiles = Array.from({ length: FILE_COUNT }, (_, number) => number)
    .filter(isNew)
    .map((number) => generateFile(number, 1));
  for (let at = 0; at < newFiles.length; at += 1_000) await client.upload(newFiles.slice(at, at + 1_000));
  await client.upload([{ path: MANIFEST_PATH, content: manifest }]);

  const others = probe(client);
  const start = performance.now();
  await client.register({ expectedRevision: 1, manifestSha256: hash('sha256', manifest) });
  const seconds = (performance.now() - start) / 1_000;
  const latencies = (await others.stop()).sort((a, b) => a - b);
  return {
    manifestMebibytes: manifest.length / 1024 ** 2,
    files: FILE_COUNT,
    newFiles: newFiles.length,
    seconds,
    others: {
      requests: latencies.length,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      max: percentile(latencies, 1),
    },
    peakMebibytes: peakMemory(service.process) / 1024,
  };
}

/** Sends other requests, a few at a time, until it is stopped. */
function probe(client: Publisher): { stop(): Promise<number[]> } {
  const paths = [
    LIBRARY,
    '/libraries',
    `${LIBRARY}/assets/a777`,
    '/healthz',
    `${LIBRARY}/search?q=asset+777`,
  ];
  const latencies: number[] = [];
  let stopped = false;
  const clients = Array.from({ length: PROBES }, async (_, at) => {
    for (let turn = at; !stopped; turn++) {
      const start = performance.now();
      const answer = await client.send('GET', paths[turn % paths.length] as string);
      await answer.arrayBuffer();
      latencies.push(performance.now() - start);
      await delay(PAUSE);
    }
  });
  return {
    async stop() {
      stopped = true;
      await Promise.all(clients);
      return latencies;
    },
  };
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** In kibibytes, as reported by Linux. */
function peakMemory({ pid }: ChildProcess): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

if (import.meta.main) console.log(await benchRegister());

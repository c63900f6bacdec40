import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { MANIFEST_SCHEMA } from '@bindery/contract';
import type { BenchmarkRow } from '../results-table.ts';
import { generateAssets } from '../search-corpus.ts';
import { seedDataFolder, seedLibrary } from '../seed.ts';

const COMMAND = fileURLToPath(new URL('../../packages/cli/bin/bindery.js', import.meta.url));
const ASSETS = 50_000;
const TIMES = 5;
const TARGET = 1_000;

/** The first search after starting a service with one library of 50,000 assets: median milliseconds. */
export async function benchFirstSearch(): Promise<BenchmarkRow[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bindery-bench-first-search-'));
  try {
    await seedDataFolder(dataDir, (seeding) =>
      seedLibrary(seeding, {
        name: 'large',
        manifest: Buffer.from(JSON.stringify({ schema: MANIFEST_SCHEMA, assets: generateAssets(ASSETS) })),
        artifacts: [],
        visibility: 'public',
      }),
    );
    const times: number[] = [];
    for (let time = 0; time < TIMES; time++) times.push(await firstSearch(dataDir));
    const median = times.sort((a, b) => a - b)[TIMES >> 1] as number;
    return [
      {
        work: 'the first search after the start, 50,000 assets',
        bindery: `${Math.round(median)} ms`,
        peer: '',
        ratio: '',
        target: `${TARGET} ms`,
        met: median <= TARGET,
      },
    ];
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function firstSearch(dataDir: string): Promise<number> {
  const service = spawn(process.execPath, [COMMAND, 'serve', '--port', '0', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, BINDERY_LOG_LEVEL: 'silent', BINDERY_ENCODER: 'off' },
  });
  try {
    const url = await addressOf(service);
    const since = performance.now();
    const answer = await fetch(`${url}/search?q=blue+gripper&facets=true`);
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`The search answered ${answer.status}.`);
    return performance.now() - since;
  } finally {
    const ended = once(service, 'exit');
    service.kill('SIGTERM');
    await ended;
  }
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('The service prints nothing.');
  for await (const line of createInterface({ input: stdout })) {
    const url = /listening on (\S+)/.exec(line)?.[1];
    if (url) return url;
  }
  throw new Error('The service did not start.');
}

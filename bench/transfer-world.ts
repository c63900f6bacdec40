import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, symlinkSync, truncateSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BINDERY, publishedCommand } from './command-line.ts';
import type { BenchmarkRow } from './results-table.ts';

/** The real service, and a signed-in command line, which is the published one. */
export interface World {
  folder: string;
  url: string;
  token: string;
  /** The process of the service. */
  pid: number;
  /** The path of the command line. */
  command: string;
  /** The environment of the command line. */
  env: NodeJS.ProcessEnv;
  /** Runs `bindery library …`; returns the seconds it took. */
  library(...words: string[]): number;
  /** Runs `bindery library … --json`; returns its output. */
  json(...words: string[]): unknown;
  /** Simulates a machine that has run the program before, but whose caches are otherwise empty. */
  freshCache(): void;
  close(): Promise<void>;
}

/**
 * `parent` is the folder for all data, by default that for temporary files. `settings` are environment variables for
 * the service, which listens on `port`, by default a free one.
 */
export async function withWorld(
  parent = tmpdir(),
  bench: (world: World) => Promise<BenchmarkRow[]>,
  settings: NodeJS.ProcessEnv = {},
  port = 0,
): Promise<BenchmarkRow[]> {
  const folder = await mkdtemp(join(parent, 'bindery-bench-transfer-'));
  const world = await openWorld(folder, settings, port);
  try {
    return await bench(world);
  } finally {
    await world.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function openWorld(folder: string, settings: NodeJS.ProcessEnv, port: number): Promise<World> {
  const dataDir = join(folder, 'data');
  const command = publishedCommand();
  const admin = (...words: string[]) =>
    execFileSync(BINDERY, ['admin', ...words, '--data-dir', dataDir], {
      encoding: 'utf8',
      input: 'correct horse battery\n',
      stdio: ['pipe', 'pipe', 'ignore'],
    });
  admin('create-user', 'bench', '--email', 'bench@example.org', '--password-stdin');
  const token = admin('create-token', 'bench', '--scope', 'write').trim();
  const service = spawn(BINDERY, ['serve', '--port', String(port), '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...settings },
  });
  const [line] = await once(service.stdout, 'data');
  const url = String(line).trim().replace('listening on ', '');
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    BINDERY_API_URL: url,
    BINDERY_TOKEN: token,
    BINDERY_CONFIG_DIR: join(folder, 'config'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    XDG_STATE_HOME: join(folder, 'state'),
  };
  const compiled = join(folder, 'compiled');
  await mkdir(compiled);
  let caches = 0;
  return {
    folder,
    url,
    token,
    pid: service.pid ?? 0,
    command,
    env,
    json(...words) {
      const { status, stdout, stderr } = spawnSync(command, ['library', ...words, '--json'], {
        env,
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
      });
      if (status !== 0) throw new Error(`bindery library ${words.join(' ')} ended with ${status}: ${stderr}`);
      return JSON.parse(stdout);
    },
    freshCache() {
      env.XDG_CACHE_HOME = join(folder, `cache-${++caches}`);
      // Keeps Node's compile cache: this measures a pull, not the first start of the program.
      mkdirSync(join(env.XDG_CACHE_HOME, 'bindery'), { recursive: true });
      symlinkSync(compiled, join(env.XDG_CACHE_HOME, 'bindery/compiled'));
    },
    library(...words) {
      const start = performance.now();
      const { status, stderr } = spawnSync(command, ['library', ...words], { env, encoding: 'utf8' });
      if (status !== 0) throw new Error(`bindery library ${words.join(' ')} ended with ${status}: ${stderr}`);
      return (performance.now() - start) / 1_000;
    },
    close: () => end(service),
  };
}

/**
 * `rclone copy --transfers 16` from `rclone serve http`, which does not hash; null if rclone is not installed.
 * `openWay` opens what leads to the server's port, if it is not asked directly.
 */
export async function rclonePeer(
  source: string,
  openWay: (port: number) => Promise<{ port: number; close(): Promise<void> }> = directly,
) {
  if (spawnSync('rclone', ['version']).status !== 0) return null;
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const server = spawn('rclone', ['serve', 'http', source, '--addr', address], { stdio: 'ignore' });
  for (let tries = 0; tries < 100; tries++) {
    const answer = await fetch(`http://${address}/`).catch(() => null);
    if (answer?.ok) break;
    await sleep(50);
  }
  const way = await openWay(port);
  return {
    /** Returns the seconds that a copy into a new folder takes. */
    copy(target: string) {
      const start = performance.now();
      const url = `http://127.0.0.1:${way.port}`;
      const words = ['copy', ':http:', target, '--http-url', url, '--transfers', '16'];
      execFileSync('rclone', words, { stdio: 'ignore' });
      return (performance.now() - start) / 1_000;
    },
    async close() {
      await way.close();
      await end(server);
    },
  };
}

async function directly(port: number) {
  return { port, close: async () => {} };
}

export function curlSeconds(url: string): number {
  const start = performance.now();
  execFileSync('sh', ['-c', 'curl -sf "$0" | sha256sum', url], { stdio: 'ignore' });
  return (performance.now() - start) / 1_000;
}

export async function presigned({ url, token }: World, library: string, path: string): Promise<string> {
  const response = await fetch(`${url}/namespaces/bench/libraries/${library}/files-presign`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ paths: [path] }),
  });
  const { files } = (await response.json()) as { files: { url: string }[] };
  return files[0]?.url ?? '';
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/**
 * Frees the space of a folder's files by truncating them. Deleting them would slow the next round down: for each file
 * it creates, ext4 scans past every recently deleted one.
 */
export function truncateFiles(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) truncateSync(join(entry.parentPath, entry.name));
  }
}

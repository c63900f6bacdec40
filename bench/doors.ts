import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER } from '@bindery/server/testing';
import { until } from '../packages/server/test/objects/s3/daemons.ts';
import { freePort } from '../test/free-port.ts';
import { writeLargeFile, writeRobots } from '../test/generated-files.ts';
import installPythonClients, { CLIENTS_PYTHON } from '../test/python-clients.ts';
import { type BenchmarkRow, median, repeated, scaled, secondsOf } from './results.ts';
import { besideRow, mebibytesPerSecond } from './transfer.ts';
import { type CommandWorld, withCommand } from './world.ts';

const ROUNDS = 3;
const FILES = 100;
const FILE_BYTES = 60_000;

/** Permanent addresses compared with nginx that serves the same folder, asked in the same way. */
export function benchRaw(): Promise<BenchmarkRow[]> {
  return withCommand(async (world) => {
    const [small, large] = [join(world.folder, 'small'), join(world.folder, 'large')];
    mkdirSync(small);
    for (let at = 0; at < FILES; at++)
      writeFileSync(join(small, `${at}.bin`), Buffer.alloc(FILE_BYTES, at + 1));
    const bytes = scaled(2 * 1024 ** 3);
    writeLargeFile(join(large, 'cloud.ply'), bytes);
    for (const folder of ['small', 'large']) {
      world.library('push', join(world.folder, folder), `${OWNER}/${folder}`, '--visibility', 'public');
    }
    const nginx = await startNginx(world.folder);
    const raw = `${world.env.BINDERY_API_URL}/raw/${OWNER}`;
    try {
      const requests = (url: string) => requestsPerSecond(`${url}/small/`, world.folder);
      const download = (url: string) =>
        bytes / secondsOf(() => execFileSync('curl', ['-sf', '-o', '/dev/null', `${url}/large/cloud.ply`]));
      const rates: Record<'own' | 'peer' | 'ownLarge' | 'peerLarge', number[]> = {
        own: [],
        peer: [],
        ownLarge: [],
        peerLarge: [],
      };
      for (let round = 0; round < ROUNDS; round++) {
        rates.own.push(requests(raw));
        rates.ownLarge.push(download(raw));
        if (nginx === null) continue;
        rates.peer.push(requests(nginx.url));
        rates.peerLarge.push(download(nginx.url));
      }
      const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en')} requests/s`;
      const of = (values: number[]) => (values.length === 0 ? null : median(values));
      const work = `/raw, files of ${FILE_BYTES / 1_000} KB, 32 kept connections`;
      const size = `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
      return [
        besideRow(work, median(rates.own), of(rates.peer), 'nginx', 0.5, perSecond),
        besideRow(
          `/raw, ${size}`,
          median(rates.ownLarge),
          of(rates.peerLarge),
          'nginx',
          0.9,
          mebibytesPerSecond,
        ),
      ];
    } finally {
      await nginx?.close();
    }
  });
}

/** A pull of a library compared with clients of others that read it from the same service. */
export function benchClients(): Promise<BenchmarkRow[]> {
  return withCommand(async (world) => {
    const source = join(world.folder, 'robots');
    const { files, bytes } = writeRobots(source, scaled(1_000));
    const library = `${OWNER}/robots`;
    world.library('push', source, library, '--visibility', 'public');
    await installPythonClients();
    const pulls = await repeated(ROUNDS, (round) => {
      world.freshCache();
      return world.library('pull', library, '-o', join(world.folder, `pulled-${round}`));
    });
    const work = `pull ${files.toLocaleString('en')} files of robots, every byte verified`;
    return [
      clientRow(
        work,
        bytes,
        pulls,
        'hf download',
        await repeated(ROUNDS, (round) => hfDownload(world, library, round)),
      ),
      clientRow(
        work,
        bytes,
        pulls,
        'rclone copy of /raw',
        await repeated(ROUNDS, (round) => rcloneCopy(world, library, round)),
      ),
    ];
  });
}

function clientRow(
  work: string,
  bytes: number,
  pulls: number[],
  name: string,
  peers: number[],
): BenchmarkRow {
  return besideRow(work, bytes / median(pulls), bytes / median(peers), name, 2, mebibytesPerSecond);
}

export function hfDownload({ folder, env }: CommandWorld, library: string, round: number): number {
  const home = join(folder, `hf-${round}`);
  const settings = {
    ...env,
    HF_ENDPOINT: `${env.BINDERY_API_URL}/hf`,
    HF_HOME: home,
    HF_HUB_DISABLE_TELEMETRY: '1',
  };
  const words = ['download', library, '--repo-type', 'dataset', '--local-dir', join(home, 'files')];
  return secondsOf(() =>
    execFileSync(join(CLIENTS_PYTHON, '../hf'), words, { env: settings, stdio: 'ignore' }),
  );
}

function rcloneCopy({ folder, env }: CommandWorld, library: string, round: number): number {
  const url = `${env.BINDERY_API_URL}/raw/${library}/`;
  const words = ['copy', ':http:', join(folder, `copied-${round}`), '--http-url', url, '--transfers', '16'];
  return secondsOf(() => execFileSync('rclone', words, { stdio: 'ignore' }));
}

/** Asks for the files in turn with wrk, which costs less than either server. */
function requestsPerSecond(url: string, folder: string): number {
  const script = join(folder, 'paths.lua');
  const { pathname } = new URL(url);
  writeFileSync(
    script,
    `local n = 0\nrequest = function() n = n + 1; return wrk.format("GET", "${pathname}" .. (n % ${FILES}) .. ".bin") end\n`,
  );
  const words = ['-t1', '-c32', '-d5', '-s', script, url];
  const printed = execFileSync('wrk', words, { encoding: 'utf8' });
  if (printed.includes('Non-2xx')) throw new Error(printed);
  return Number(/Requests\/sec: +([\d.]+)/.exec(printed)?.[1]);
}

/** nginx that serves a folder as Debian sets it up, with one worker; null if it is not installed. */
async function startNginx(folder: string): Promise<{ url: string; close(): Promise<void> } | null> {
  if (spawnSync('nginx', ['-v']).status !== 0) return null;
  const port = await freePort();
  const home = join(folder, 'nginx');
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home);
  const file = join(home, 'nginx.conf');
  const http = `access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000;`;
  const server = `listen 127.0.0.1:${port}; root ${folder};`;
  const global = `worker_processes 1; daemon off; user root; error_log stderr; pid ${home}/pid;`;
  writeFileSync(file, `${global} events { worker_connections 1024; } http { ${http} server { ${server} } }`);
  const child = spawn('nginx', ['-c', file, '-p', home], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await until('nginx answers', async () => (await fetch(url)).status > 0);
  const close = async () => {
    const ended = once(child, 'exit');
    // It ends its workers only if it is asked to stop.
    child.kill('SIGTERM');
    await ended;
  };
  return { url, close };
}

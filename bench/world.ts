import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, createMember } from '@bindery/server/testing';
import { type RunningService, serve as serveCommand } from '../e2e/bindery.ts';
import { end, until } from '../packages/server/test/objects/s3/daemons.ts';
import { freePort } from '../test/free-port.ts';
import { withFolder } from './processes.ts';
import { secondsOf } from './results.ts';

/** Starts the service in a separate process, on a free port unless one is given. */
export function serve(dataDir: string, env: Record<string, string> = {}, port = 0): Promise<RunningService> {
  return serveCommand({ dataDir, port: String(port), env: { BINDERY_LOG_LEVEL: 'silent', ...env } });
}

/** Serves the data folder for as long as it is used. */
export async function withService<Result>(
  dataDir: string,
  settings: Record<string, string>,
  use: (service: { url: string; pid: number }) => Promise<Result>,
  start = serve,
): Promise<Result> {
  const service = await start(dataDir, settings);
  try {
    return await use({ url: service.url, pid: service.process.pid ?? 0 });
  } finally {
    await service.end();
  }
}

/** A service and a signed-in command line, which is the published one. */
export interface CommandWorld {
  folder: string;
  /** The process of the service. */
  pid: number;
  client: Client;
  command: string;
  /** The environment of the command line. */
  env: NodeJS.ProcessEnv;
  /** Runs `bindery library …`; returns the seconds it took. */
  library(...words: string[]): number;
  /** Simulates a machine that has run the program before, but whose caches are otherwise empty. */
  freshCache(): void;
}

export async function withCommand<Result>(
  bench: (world: CommandWorld) => Promise<Result>,
  settings: Record<string, string> = {},
  port = 0,
): Promise<Result> {
  const command = publishedCommand();
  return withFolder(async (folder) => {
    const dataDir = join(folder, 'data');
    const token = await createMember(dataDir);
    const begin = (folder: string, env = {}) => serve(folder, env, port);
    return withService(
      dataDir,
      settings,
      async ({ url, pid }) => {
        const env: NodeJS.ProcessEnv = {
          ...process.env,
          BINDERY_API_URL: url,
          BINDERY_TOKEN: token,
          BINDERY_CONFIG_DIR: join(folder, 'config'),
          XDG_CACHE_HOME: join(folder, 'cache'),
          XDG_STATE_HOME: join(folder, 'state'),
        };
        const compiled = join(folder, 'compiled');
        mkdirSync(compiled);
        let caches = 0;
        return bench({
          ...{ folder, pid, client: new Client(url, token), command, env },
          library: (...words) =>
            secondsOf(() => {
              const { status, stderr } = spawnSync(command, ['library', ...words], { env, encoding: 'utf8' });
              if (status !== 0)
                throw new Error(`bindery library ${words.join(' ')} ended with ${status}: ${stderr}`);
            }),
          freshCache() {
            env.XDG_CACHE_HOME = join(folder, `cache-${++caches}`);
            // Keeps Node's compile cache: this measures a pull, not the first start of the program.
            mkdirSync(join(env.XDG_CACHE_HOME, 'bindery'), { recursive: true });
            symlinkSync(compiled, join(env.XDG_CACHE_HOME, 'bindery/compiled'));
          },
        });
      },
      begin,
    );
  });
}

let isBuilt = false;

/** The command line as its package has it, which starts sooner than the one in the clone. Builds it on first use. */
function publishedCommand(): string {
  const build = fileURLToPath(new URL('../scripts/packages/build.ts', import.meta.url));
  if (!isBuilt) execFileSync(process.execPath, [build], { stdio: ['ignore', 'ignore', 'inherit'] });
  isBuilt = true;
  return fileURLToPath(new URL('../build/packages/cli/bin/bindery.js', import.meta.url));
}

/**
 * `rclone copy --transfers 16` from `rclone serve http`, which does not hash; null if rclone is not installed.
 * `openWay` opens what leads to the server's port, if it is not asked directly.
 */
export async function rclonePeer(
  source: string,
  openWay = async (port: number) => ({ port, close: async () => {} }),
) {
  if (spawnSync('rclone', ['version']).status !== 0) return null;
  const port = await freePort();
  const server = spawn('rclone', ['serve', 'http', source, '--addr', `127.0.0.1:${port}`], {
    stdio: 'ignore',
  });
  await until('rclone answers', async () => (await fetch(`http://127.0.0.1:${port}/`)).ok);
  const way = await openWay(port);
  const url = `http://127.0.0.1:${way.port}`;
  return {
    url,
    /** Returns the seconds that a copy into a new folder takes. */
    copy: (target: string) =>
      secondsOf(() => {
        const words = ['copy', ':http:', target, '--http-url', url, '--transfers', '16'];
        execFileSync('rclone', words, { stdio: 'ignore' });
      }),
    async close() {
      await way.close();
      await end(server);
    },
  };
}

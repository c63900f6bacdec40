import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgres } from '../packages/server/src/adapters/database/postgres.ts';
import { migrate } from '../packages/server/src/database/migrate.ts';
import { freePort } from './free-port.ts';

const DEBIAN_BINARIES = '/usr/lib/postgresql';

/**
 * Starts one PostgreSQL for the whole test run: on loopback, in a new folder, without durability, removed at the end.
 * New databases in it are migrated. Without its binaries the tests over PostgreSQL are reported as skipped; in CI that
 * is a failure.
 */
export default async function startPostgres(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.BINDERY_TEST_POSTGRES) return undefined;
  const binaries = findBinaries();
  if (!binaries) {
    if (process.env.CI) throw new Error('PostgreSQL is not installed; in CI nothing is skipped.');
    process.stderr.write('PostgreSQL is not installed: the tests over it are skipped.\n');
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'bindery-postgres-'));
  const identity = unprivilegedIdentity();
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid ?? identity.uid);
  const data = join(folder, 'data');
  execFileSync(
    join(binaries, 'initdb'),
    ['-D', data, '-U', 'bindery', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    {
      ...identity,
      cwd: folder,
      stdio: 'ignore',
    },
  );
  const port = await freePort();
  const server = spawn(
    join(binaries, 'postgres'),
    [
      '-D',
      data,
      '-p',
      String(port),
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'max_connections=300',
      '-k',
      folder,
      '-F',
    ],
    { ...identity, cwd: folder, stdio: 'ignore' },
  );
  await waitUntilReady(join(binaries, 'pg_isready'), port);
  const url = `postgres://bindery@127.0.0.1:${port}`;
  const db = openPostgres(`${url}/template1`);
  await migrate(db);
  await db.destroy();
  process.env.BINDERY_TEST_POSTGRES = `${url}/postgres`;

  return async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGINT');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
}

function findBinaries(): string | undefined {
  if (!existsSync(DEBIAN_BINARIES)) return undefined;
  return readdirSync(DEBIAN_BINARIES)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN_BINARIES, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')));
}

/** PostgreSQL refuses to run as root; tests that do so run it as the user that its package created. */
function unprivilegedIdentity(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function waitUntilReady(probe: string, port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      execFileSync(probe, ['-h', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error('PostgreSQL did not become ready');
}

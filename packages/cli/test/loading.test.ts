import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSqlite } from '../../server/src/adapters/database/sqlite.ts';
import { migrate } from '../../server/src/database/migrate.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import { SOURCE_BINDERY } from './command-line.ts';

const RECORDER = pathToFileURL(fileURLToPath(new URL('./record-modules.ts', import.meta.url))).href;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bindery-loading-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The packages that a command loads, by name. */
async function packagesOf(...words: string[]): Promise<Set<string>> {
  return packagesWith({}, ...words);
}

async function packagesWith(environment: Record<string, string>, ...words: string[]): Promise<Set<string>> {
  const record = join(folder, 'modules.txt');
  await rm(record, { force: true });
  const env = { ...process.env, RECORD_MODULES: record, ...environment };
  await promisify(execFile)(process.execPath, ['--import', RECORDER, SOURCE_BINDERY, ...words], { env });
  const names = (await readFile(record, 'utf8')).matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)\/[^\n]*\n/g);
  return new Set(names.map(([, name = '']) => name));
}

test('admin create-invitation loads the database but nothing that serves requests', async () => {
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  const db = openSqlite(join(dataDir, 'bindery.db'));
  await migrate(db);
  await db.destroy();
  const words = ['admin', 'create-invitation', '--data-dir', dataDir];
  const loaded = await packagesOf(...words);
  expect(loaded).toContain('kysely');
  for (const name of ['fastify', 'graphql', 'better-auth', 'usearch']) expect(loaded).not.toContain(name);
});

test('--help loads neither the client nor the service', async () => {
  const loaded = await packagesOf('--help');
  expect(loaded).toContain('commander');
  for (const name of ['undici', 'kysely']) expect(loaded).not.toContain(name);
});

describe('with a running service', () => {
  let service: TestService;
  let token: string;
  beforeAll(async () => {
    service = await startService();
    token = (await service.member('ada')).headers.authorization?.replace('Bearer ', '') ?? '';
  });
  afterAll(() => service.close());

  const packagesOfClient = (machine: string, ...words: string[]) =>
    packagesWith(
      {
        BINDERY_CONFIG_DIR: join(folder, machine, 'config'),
        BINDERY_NO_KEYCHAIN: '1',
        BINDERY_API_URL: service.url,
        XDG_CACHE_HOME: join(folder, machine, 'cache'),
        XDG_STATE_HOME: join(folder, machine, 'state'),
        BINDERY_TOKEN: token,
      },
      ...words,
    );

  test('library list loads no schemas and nothing that writes libraries', async () => {
    expect([...(await packagesOfClient('hers', 'library', 'list', '--all'))]).toEqual([
      'commander',
      'undici',
    ]);
  });

  test('a search loads no schemas', async () => {
    expect([...(await packagesOfClient('hers', 'search', 'bolt'))]).toEqual(['commander', 'undici']);
  });

  test('a pull loads the manifest schemas only for a manifest that is new on this machine', async () => {
    await mkdir(join(folder, 'source'));
    await writeFile(join(folder, 'source', 'bolt.stl'), 'solid bolt');
    await packagesOfClient('hers', 'library', 'push', join(folder, 'source'), 'ada/bolts');
    const pull = ['library', 'pull', 'ada/bolts', '-o', join(folder, 'bolts')];
    expect([...(await packagesOfClient('another', ...pull))].sort()).toEqual([
      'commander',
      'p-map',
      'undici',
      'zod',
    ]);
    expect([...(await packagesOfClient('another', ...pull))].sort()).toEqual([
      'commander',
      'p-map',
      'undici',
    ]);
  });
});

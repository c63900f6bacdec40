import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqlite } from '../../src/adapters/database/sqlite.ts';
import { startService } from '../../src/boot/main.ts';
import { readConfiguration } from '../../src/configuration/configuration.ts';
import { appliedMigrations } from '../../src/database/migrate.ts';
import { migrations } from '../../src/database/migrations/index.ts';
import type { Database } from '../../src/database/schema.ts';
import { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { Publisher } from '../libraries/publisher.ts';

/*
 * `sqlite.tgz` and `postgresql.tgz` are data folders of a service of 655b384c, which had migrations up to the baseline:
 * database, objects, and the token of ada, who publishes lab/robots.
 */

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bindery-baseline-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

describe.each(databases)('a data folder over $name of a version before the baseline', ({ name, open }) => {
  test('opens: its libraries, releases and tokens work, and the next revision is published', async () => {
    const archive = fileURLToPath(new URL(`${name.toLowerCase()}.tgz`, import.meta.url));
    await promisify(execFile)('tar', ['-xzf', archive, '-C', dataDir]);
    const postgres = name === 'PostgreSQL' ? await open(loadDump) : null;
    const service = await startService(
      readConfiguration({
        ...{
          BINDERY_DATA_DIR: dataDir,
          BINDERY_PORT: '0',
          BINDERY_ENCODER: 'off',
          BINDERY_LOG_LEVEL: 'silent',
        },
        ...(postgres && { BINDERY_DATABASE_URL: postgres.location }),
      }),
    );
    try {
      const token = await readFile(join(dataDir, 'token'), 'utf8');
      const ada = new Actor(service.url, { authorization: `Bearer ${token}` });
      const robots = new Publisher(ada, 'lab', 'robots');
      expect((await ada.get(robots.path)).body).toMatchObject({ revision: 2, fileCount: 2 });
      expect(await contentsOf(ada, `${robots.path}/files-presign`)).toEqual(['second', 'the same']);
      expect(await contentsOf(ada, `${robots.path}/files-presign?release=v1`)).toEqual(['first', 'the same']);
      expect((await ada.get('/namespaces/lab/projects/lab/bindrs')).body).toMatchObject({
        bindrs: [{ name: 'Shelf' }],
      });
      await robots.publish({ 'arm/arm.txt': 'third' }, { share: true });
      expect((await ada.get(robots.path)).body).toMatchObject({ revision: 3 });
      const db = postgres?.db ?? openSqlite(join(dataDir, 'bindery.db'));
      expect(await appliedMigrations(db)).toEqual(Object.keys(migrations));
      const creators = await db.selectFrom('namespaces').select(['slug', 'created_by']).execute();
      expect(creators.find(({ slug }) => slug === 'lab')?.created_by).not.toBeNull();
      if (!postgres) await db.destroy();
    } finally {
      await service.close();
      await postgres?.close();
    }
  });
});

async function loadDump(db: Database): Promise<void> {
  const dump = await readFile(join(dataDir, 'database.sql'), 'utf8');
  await sql.raw(dump).execute(db);
}

async function contentsOf(actor: Actor, path: string): Promise<string[]> {
  const paths = ['arm/arm.txt', 'arm/same.txt'];
  const { body } = await actor.post<{ files: { url: string }[] }>(path, { paths });
  return Promise.all(body.files.map(async ({ url }) => (await fetch(url)).text()));
}

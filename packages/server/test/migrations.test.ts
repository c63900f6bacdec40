import type { Kysely, Selectable } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, test } from 'vitest';
import { migrate } from '../src/database/migrate.ts';
import { migrations } from '../src/database/migrations/index.ts';
import type { Database, LibrariesTable, RetiredRevisionsTable } from '../src/database/schema.ts';
import { databases } from './databases.ts';

test.each(databases)('$name: migrations may run again and keep what is stored', async ({ open }) => {
  const { db, close } = await open();
  try {
    await db.insertInto('settings').values({ key: 'motto', value: 'one process' }).execute();
    await migrate(db);
    const rows = await db.selectFrom('settings').selectAll().execute();
    expect(rows).toEqual([{ key: 'motto', value: 'one process' }]);
  } finally {
    await close();
  }
});

/** Brings a database to the schema of an earlier version, of which `name` is the last migration. */
async function migrateTo(db: Database, name: string): Promise<void> {
  const provider = { getMigrations: async () => migrations };
  const { error } = await new Migrator({ db: db as Kysely<unknown>, provider }).migrateTo(name);
  if (error) throw error;
}

test.each(databases)(
  '$name: libraries from before there were codes of vectors have none',
  async ({ open }) => {
    const { db, close } = await open((empty) => migrateTo(empty, '0002-collaboration'));
    try {
      const namespace = { id: 'n', slug: 'lab', display_name: 'Lab', kind: 'team', created_at: 1 } as const;
      await db.insertInto('namespaces').values(namespace).execute();
      const earlier = db as Kysely<unknown> as Kysely<EarlierTables>;
      await earlier.insertInto('libraries').values(LIBRARY).execute();
      const retired = { store_id: 's', revision: 2, index_sha256: 'i', manifest_sha256: 'm', retired_at: 1 };
      await earlier.insertInto('retired_revisions').values(retired).execute();
      await migrate(db);
      const libraries = await db.selectFrom('libraries').selectAll().execute();
      expect(libraries).toEqual([expect.objectContaining({ ...LIBRARY, codes_sha256: null })]);
      const revisions = await db.selectFrom('retired_revisions').selectAll().execute();
      expect(revisions).toEqual([{ ...retired, codes_sha256: null }]);
      await db.updateTable('libraries').set({ codes_sha256: 'c' }).execute();
    } finally {
      await close();
    }
  },
);

/** The tables of that time, as far as they differ. */
interface EarlierTables {
  libraries: Omit<Selectable<LibrariesTable>, 'codes_sha256'>;
  retired_revisions: Omit<RetiredRevisionsTable, 'codes_sha256'>;
}

const LIBRARY: EarlierTables['libraries'] = {
  id: 'l',
  namespace_id: 'n',
  name: 'robots',
  store_id: 's',
  state: 'active',
  revision: 3,
  changes: 4,
  visibility: 'public',
  share_token: null,
  type: 'assets',
  title: 'Robots',
  description: null,
  provider: null,
  homepage: null,
  license: null,
  tags: '[]',
  upstream_repo: null,
  upstream_commit: null,
  asset_count: 1,
  file_count: 1,
  total_bytes: 9,
  categories: '[]',
  kinds: '[]',
  licenses: '[]',
  vectors_dim: 768,
  vectors_model: 'a/b/c',
  cover_sha256: null,
  cover_path: null,
  manifest_sha256: 'm',
  manifest_size: 1,
  manifest_layout: 'current',
  uploads_settled_at: 1,
  index_sha256: 'i',
  created_at: 1,
  updated_at: 2,
  deleted_at: null,
};

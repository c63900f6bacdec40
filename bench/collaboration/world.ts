import { sql } from 'kysely';
import type { Database } from '../../packages/server/src/database/schema.ts';

/** How large the world is that the benchmark asks about. */
export interface WorldSize {
  namespaces: number;
  projects: number;
  notes: number;
  nodes: number;
  bindrs: number;
  grants: number;
}

export const FULL_SIZE: WorldSize = {
  namespaces: 1_000,
  projects: 100_000,
  notes: 1_000_000,
  nodes: 3_000_000,
  bindrs: 500_000,
  grants: 5_000,
};

/** What the requests of the benchmark name. */
export const NAMESPACE = 'ns0';
export const BUSY_PROJECT = 'p0';
export const SPREAD_NOTE = 'spread';
const SPREAD = 200;

/**
 * Fills an empty, migrated database with a world of the size, made by the database itself from numbers. The viewer has
 * grants in the first `grants` projects and no membership. One Note is filed in 200 projects of one namespace, and one
 * project has a thousand Bindrs more than the others.
 */
export async function buildWorld(db: Database, size: WorldSize, viewer: string): Promise<void> {
  const { namespaces, projects, notes, nodes, bindrs, grants } = size;
  const perNamespace = Math.floor(projects / namespaces);
  await insertNumbers(
    db,
    namespaces,
    (n) => sql`
    insert into namespaces (id, slug, display_name, kind, created_at)
    select 'ns' || ${n}, 'ns' || ${n}, 'Namespace ' || ${n}, 'team', 0`,
  );
  await insertNumbers(
    db,
    projects,
    (n) => sql`
    insert into projects (id, namespace_id, slug, display_name, search_text, description, visibility, created_at, updated_at)
    select 'p' || ${n}, 'ns' || (${n} / ${sql.lit(perNamespace)}), 'p' || ${n}, 'Project ' || ${n},
      'project ' || ${n}, '', case when ${n} % 10 = 9 then 'public' else 'private' end, 0, 0`,
  );
  await insertNumbers(
    db,
    grants,
    (n) => sql`
    insert into project_grants (project_id, account_id, role)
    select 'p' || ${n}, ${sql.lit(viewer)}, case when ${n} % 2 = 0 then 'writer' else 'reader' end`,
  );
  await insertNumbers(
    db,
    notes,
    (n) => sql`
    insert into notes (id, namespace_id, name, search_text, visibility, created_at, updated_at)
    select 'n' || ${n}, 'ns' || (${n} % ${sql.lit(namespaces)}), 'Note ' || ${n}, 'note ' || ${n}, 'private', 0, 0`,
  );
  // The three projects of a Note lie in its own namespace.
  const each = Math.floor(nodes / notes);
  for (let turn = 0; turn < each; turn++) {
    await insertNumbers(
      db,
      notes,
      (n) => sql`
      insert into nodes (id, project_id, note_id, path)
      select 'd' || ${sql.lit(turn)} || '-' || ${n},
        'p' || ((${n} % ${sql.lit(namespaces)}) * ${sql.lit(perNamespace)}
          + (${n} / ${sql.lit(namespaces)} + ${sql.lit(turn)}) % ${sql.lit(perNamespace)}),
        'n' || ${n}, ','`,
    );
  }
  await insertNumbers(
    db,
    bindrs,
    (n) => sql`
    insert into bindrs (id, project_id, parent_id, name, search_text)
    select 'b' || ${n}, 'p' || (${n} % ${sql.lit(projects)}), null, 'Bindr ' || ${n}, 'bindr ' || ${n}`,
  );
  await insertNumbers(
    db,
    1_000,
    (n) => sql`
    insert into bindrs (id, project_id, parent_id, name, search_text)
    select 'busy' || ${n}, ${sql.lit(BUSY_PROJECT)}, null, 'Busy ' || ${n}, 'busy ' || ${n}`,
  );
  await spreadOneNote(db);
  await sql`analyze`.execute(db);
}

/** One Note in 200 projects of a namespace of its own, each Node tagged with two Bindrs. */
async function spreadOneNote(db: Database): Promise<void> {
  const viewer = await db
    .selectFrom('project_grants')
    .select('account_id')
    .limit(1)
    .executeTakeFirstOrThrow();
  await db
    .insertInto('namespaces')
    .values({ id: 'wide', slug: 'wide', display_name: 'Wide', kind: 'team', created_at: 0 })
    .execute();
  await db
    .insertInto('notes')
    .values({
      id: SPREAD_NOTE,
      namespace_id: 'wide',
      name: 'Spread',
      search_text: 'spread',
      visibility: 'private',
      created_at: 0,
      updated_at: 0,
    })
    .execute();
  await insertNumbers(
    db,
    SPREAD,
    (n) => sql`
    insert into projects (id, namespace_id, slug, display_name, search_text, description, visibility, created_at, updated_at)
    select 'w' || ${n}, 'wide', 'w' || ${n}, 'Wide ' || ${n}, 'wide ' || ${n}, '', 'private', 0, 0`,
  );
  await insertNumbers(
    db,
    SPREAD,
    (n) => sql`
    insert into project_grants (project_id, account_id, role) select 'w' || ${n}, ${sql.lit(viewer.account_id)}, 'reader'`,
  );
  await insertNumbers(
    db,
    SPREAD,
    (n) => sql`
    insert into nodes (id, project_id, note_id, path) select 'wd' || ${n}, 'w' || ${n}, ${sql.lit(SPREAD_NOTE)}, ','`,
  );
  for (const kind of ['x', 'y']) {
    await insertNumbers(
      db,
      SPREAD,
      (n) => sql`
      insert into bindrs (id, project_id, parent_id, name, search_text)
      select ${sql.lit(`w${kind}`)} || ${n}, 'w' || ${n}, null, ${sql.lit(kind)}, ${sql.lit(kind)}`,
    );
    await insertNumbers(
      db,
      SPREAD,
      (n) => sql`
      insert into bindr_members (bindr_id, node_id) select ${sql.lit(`w${kind}`)} || ${n}, 'wd' || ${n}`,
    );
  }
}

/** Runs `insert … select` once for each number from 0 up to `count`, in one statement. */
async function insertNumbers(
  db: Database,
  count: number,
  insert: (number: ReturnType<typeof sql.ref>) => ReturnType<typeof sql>,
): Promise<void> {
  const numbers = sql`with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n + 1 < ${sql.lit(count)})`;
  await sql`${numbers} ${insert(sql.ref('n'))} from numbers`.execute(db);
}

import { CompiledQuery, type KyselyPlugin, type RootOperationNode, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/schema.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { Publisher } from '../libraries/publisher.ts';
import { startService, type TestService } from '../service.ts';

/** Tables that have a row for each of many things; what lists them must begin in an index. */
const LARGE = [
  ...['libraries', 'library_names', 'releases', 'register_log', 'retired_revisions', 'use_counts'],
  ...['favourites', 'notes', 'nodes', 'projects', 'project_grants', 'bindrs', 'bindr_members', 'audit_log'],
  ...['webhooks', 'webhook_deliveries', 'memberships', 'accounts', 'namespaces', 'personal_access_tokens'],
  ...['upload_receipts', 'direct_uploads', 'doomed_objects', 'watches'],
  ...['proposals', 'proposal_comments', 'proposal_checks'],
];

const LISTS = [
  ...['/libraries', '/libraries?of=mine&uses=true', '/libraries?of=favourites'],
  ...[
    '/namespaces',
    '/namespaces/ada',
    '/namespaces/ada/libraries',
    '/namespaces/ada/libraries?deleted=true',
  ],
  ...[
    '/namespaces/ada/members',
    '/namespaces/ada/audit',
    '/namespaces/ada/audit?user=ada',
    '/api/auth/tokens',
  ],
  ...['/namespaces/ada/notes', '/namespaces/ada/notes?project=lab&search=x', '/namespaces/ada/projects'],
  ...['/namespaces/ada/projects/lab/bindrs', '/namespaces/ada/projects/lab/bindrs?view=choices'],
  ...['/namespaces/ada/projects/lab/grants', '/namespaces/ada/webhooks', '/namespaces/ada/watches'],
  ...['/namespaces/ada/libraries/robots/releases', '/namespaces/ada/libraries/robots/log'],
  ...['/proposals', '/namespaces/ada/libraries/robots/proposals'],
  ...['/namespaces/ada/libraries/robots/history', '/hf/api/models', '/hf/api/models?author=ada'],
];

describe.each(databases)('over $name, without statistics', ({ name, open }) => {
  let service: TestService;
  let database: Database;
  let actors: Record<'member' | 'stranger' | 'anonymous', Actor>;
  let nodes: RootOperationNode[] = [];

  beforeAll(async () => {
    service = await startService({ database: await open() });
    const ada = await service.member('ada');
    actors = { member: ada, stranger: await service.stranger(), anonymous: service.anonymous };
    const robots = new Publisher(ada, 'ada', 'robots');
    await robots.publish({ 'a/b.txt': 'x' }, { visibility: 'public' });
    await ada.post(`${robots.path}/releases`, { name: 'v1' });
    await ada.post('/namespaces/ada/projects', { displayName: 'Lab', slug: 'lab', visibility: 'public' });
    await ada.post('/namespaces/ada/notes', { name: 'Plan', projects: ['lab'], visibility: 'public' });
    database = service.context.db;
    const recorder: KyselyPlugin = {
      transformQuery: ({ node }) => {
        nodes.push(node);
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    service.context.db = database.withPlugin(recorder);
  });
  afterAll(() => service.close());

  /** The large tables that a statement reads from their beginning, with its text. */
  async function scanned(node: RootOperationNode): Promise<string[]> {
    const query = database.getExecutor().compileQuery(node, { queryId: 'plan' });
    const isPostgres = name === 'PostgreSQL';
    const head = isPostgres ? 'explain ' : 'explain query plan ';
    const plan = await database.transaction().execute(async (trx) => {
      // Tables of a few rows would be read whole although there is an index.
      if (isPostgres) await sql`set local enable_seqscan = off`.execute(trx);
      return trx.executeQuery<Record<string, string>>(
        CompiledQuery.raw(head + query.sql, [...query.parameters]),
      );
    });
    const lines = plan.rows.map((row) => (isPostgres ? row['QUERY PLAN'] : row.detail) ?? '');
    // A page may be read from the beginning of an index, a whole list may not.
    const isPage = query.sql.includes(' limit ');
    const scan = isPostgres ? /Seq Scan on (\w+)/ : isPage ? /^SCAN (\w+)\b(?! USING)/ : /^SCAN (\w+)/;
    return lines.flatMap((line) => {
      const table = scan.exec(line)?.[1] ?? '';
      return LARGE.includes(table) ? [`${table}: ${query.sql}`] : [];
    });
  }

  test.each(LISTS)('%s reads no large table from its beginning', async (path) => {
    nodes = [];
    for (const actor of Object.values(actors)) await actor.get(path);
    const asked = nodes.filter(({ kind }) => kind === 'SelectQueryNode');
    expect(asked.length).toBeGreaterThan(1);
    for (const node of asked) expect(await scanned(node)).toEqual([]);
  });
});

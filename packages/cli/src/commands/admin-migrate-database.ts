import { isPostgresUrl, migrateDatabase, POSTGRES_URL } from '@bindery/server';
import { defineCommand, type Parse, requiredOption, UsageProblem } from '../command.ts';
import { formatCount } from '../output/text.ts';
import { configurationOf, dataDir } from './with-database.ts';
import { withServiceErrors } from './with-service-errors.ts';

const postgresUrl: Parse<string> = (text) => {
  if (isPostgresUrl(text)) return text;
  throw new UsageProblem(`expected ${POSTGRES_URL}`, { isSecret: true });
};

export const migrateDatabaseCommand = defineCommand({
  name: 'migrate-database',
  summary: 'Move the database of a service from SQLite to an empty PostgreSQL',
  description:
    'The service must be stopped. Everything moves in one transaction, and each table is compared by count and hash before it ' +
    'commits: an interrupted move leaves PostgreSQL empty. The SQLite database keeps its content, at the newest schema; files stay where they are.',
  inputs: { to: requiredOption('<url>', 'postgres:// URL of an empty database', postgresUrl), dataDir },
  examples: [
    [
      'bindery admin migrate-database --to postgres://bindery@db/bindery --data-dir /var/lib/bindery',
      'move, then start the service with BINDERY_DATABASE_URL',
    ],
  ],
  run: ({ to, dataDir }, { environment }) =>
    withServiceErrors(async () => ({
      tables: await migrateDatabase(configurationOf(environment, dataDir), to),
    })),
  render: ({ tables }, output) => {
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    output.line(
      `Moved ${formatCount(rows, 'row')} of ${formatCount(tables.length, 'table')}, each compared by hash.`,
    );
    output.note(
      'Start the service with BINDERY_DATABASE_URL set to the same URL. The SQLite database still has its content.',
    );
  },
});

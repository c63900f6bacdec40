import { handOver, namespacesPage } from '@bindery/server';
import { argument, defineCommand } from '../command.ts';
import { quotaFields } from '../output/quota.ts';
import { formatBytes, plain } from '../output/text.ts';
import { dataDir, onDatabase } from './on-database.ts';
import { notePage, pageInputs } from './page-inputs.ts';

export const namespacesCommand = defineCommand({
  name: 'namespaces',
  summary: 'List the namespaces of the service with what they hold, straight on the database',
  description:
    'Works with the service running or not. Sizes are those of the current revisions, libraries in the Trash included.',
  inputs: { ...pageInputs('namespaces'), dataDir },
  examples: [['bindery admin namespaces', 'members, libraries and bytes of each']],
  run: async ({ search = '', page, pageSize, dataDir }, { environment }) =>
    onDatabase(environment, dataDir, ({ db }) => namespacesPage(db, { search, page, pageSize })),
  render: (found, output) => {
    output.table({
      headings: ['slug', 'kind', 'members', 'libraries', 'size', 'quota'],
      rows: found.namespaces.map(({ slug, kind, members, libraries, bytes, quota }) => [
        plain(slug),
        kind,
        String(members),
        String(libraries),
        formatBytes(bytes),
        quota ? quotaFields(quota).map(asText).join(', ') : '-',
      ]),
    });
    notePage(found, output);
  },
});

function asText([amount, figures]: [string, string]): string {
  return amount === 'bytes' ? figures : `${figures} ${amount}`;
}

export const handOverCommand = defineCommand({
  name: 'hand-over',
  summary: 'Make an account an owner of a namespace, straight on the database',
  description:
    'For a namespace whose owners are gone. Works with the service running or not; its members stay.',
  inputs: {
    namespace: argument('<namespace>', 'the namespace'),
    userName: argument('<userName>', 'who owns it from now on'),
    dataDir,
  },
  examples: [['bindery admin hand-over acme bob', '"bob" owns "acme", with those who did already']],
  run: async ({ namespace, userName, dataDir }, { environment }) => {
    await onDatabase(environment, dataDir, (parts) => handOver(parts, namespace, userName));
    return { namespace, userName, role: 'owner' };
  },
  render: ({ namespace, userName }, output) => output.line(`"${userName}" is an owner of ${namespace}.`),
});

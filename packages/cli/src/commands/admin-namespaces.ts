import { handOverNamespace, MACHINE, namespacesPage } from '@bindery/server';
import { argument, defineCommand } from '../command.ts';
import { quotaFields } from '../output/quota.ts';
import { formatBytes, sanitizeLine } from '../output/text.ts';
import { pageInputs, reportPage } from './page-inputs.ts';
import { dataDir, withDatabase } from './with-database.ts';

export const namespacesCommand = defineCommand({
  name: 'namespaces',
  summary: 'List the namespaces of the service with what they hold, directly from the database',
  description:
    'Works whether the service is running or not. Sizes are those of current revisions, including libraries in the Trash.',
  inputs: { ...pageInputs('namespaces'), dataDir },
  examples: [['bindery admin namespaces', 'members, libraries and bytes of each']],
  run: async ({ search = '', page, pageSize, dataDir }, { environment }) =>
    withDatabase(environment, dataDir, (context) => namespacesPage(context, { search, page, pageSize })),
  render: (found, output) => {
    output.table({
      headings: ['slug', 'kind', 'members', 'libraries', 'size', 'quota'],
      rows: found.namespaces.map(({ slug, kind, members, libraries, bytes, quota }) => [
        sanitizeLine(slug),
        kind,
        String(members),
        String(libraries),
        formatBytes(bytes),
        quota ? quotaFields(quota).map(asText).join(', ') : '-',
      ]),
    });
    reportPage(found, output);
  },
});

function asText([amount, figures]: [string, string]): string {
  return amount === 'bytes' ? figures : `${figures} ${amount}`;
}

export const handOverCommand = defineCommand({
  name: 'hand-over',
  summary: 'Make an account an owner of a namespace, directly in the database',
  description:
    'For a namespace whose owners are gone. Works whether the service is running or not; its members stay.',
  inputs: {
    namespace: argument('<namespace>', 'the namespace'),
    userName: argument('<userName>', 'the new owner'),
    dataDir,
  },
  examples: [['bindery admin hand-over acme bob', '"bob" owns "acme", along with its present owners']],
  run: async ({ namespace, userName, dataDir }, { environment }) => {
    await withDatabase(environment, dataDir, (parts) =>
      handOverNamespace(parts, MACHINE, { namespace }, { to: userName }),
    );
    return { namespace, userName, role: 'owner' };
  },
  render: ({ namespace, userName }, output) => output.line(`"${userName}" is an owner of ${namespace}.`),
});

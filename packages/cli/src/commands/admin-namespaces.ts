import { handOverNamespace, limitNamespace, MACHINE, namespacesPage } from '@bindery/server';
import { argument, defineCommand, option, type Parse, UsageProblem } from '../command.ts';
import { quotaFields } from '../output/quota.ts';
import { formatBytes, sanitizeLine } from '../output/text.ts';
import { pageInputs, reportPage } from './page-inputs.ts';
import { configurationOf, dataDir, withDatabase, withServiceErrors } from './with-database.ts';

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

const KIB = 1024;
const UNITS: Record<string, number> = { '': 1, K: KIB, M: KIB ** 2, G: KIB ** 3, T: KIB ** 4 };

type Limit = number | 'none';

/** Parses `none`, or a number with one of the given units. */
function limit(units: Record<string, number>, rule: string): Parse<Limit> {
  return (text) => {
    if (text === 'none') return text;
    const [, digits = '', unit = ''] = /^(\d{1,15})([A-Za-z]?)$/.exec(text) ?? [];
    const factor = units[unit.toUpperCase()];
    const limit = factor === undefined || digits === '' ? Number.NaN : Number(digits) * factor;
    if (Number.isSafeInteger(limit)) return limit;
    throw new UsageProblem(rule);
  };
}

const bytes = limit(UNITS, 'expected a number of bytes such as 50G or 512M (units of 1024), or none');
const count = limit({ '': 1 }, 'expected a whole number, or none');

export const quotaCommand = defineCommand({
  name: 'quota',
  summary: 'Set the quota of a namespace, or show it and what is used',
  description:
    'Works whether the service is running or not, and applies from the next upload and register on. Current revisions, the ' +
    'Trash and releases count, each content of a library once. Nothing is deleted if a namespace already holds more.',
  inputs: {
    namespace: argument('<namespace>', 'the namespace'),
    bytes: option('<size>', 'maximum size, such as 50G; none for no limit', bytes),
    files: option('<n>', 'maximum number of files of different content; none for no limit', count),
    libraries: option('<n>', 'maximum number of libraries; none for no limit', count),
    dataDir,
  },
  examples: [
    ['bindery admin quota acme --bytes 50G --libraries 20', 'limit the namespace "acme"'],
    ['bindery admin quota acme --bytes none', 'lift its limit on bytes'],
    ['bindery admin quota acme', 'its quota, and what is used'],
  ],
  run: async ({ namespace, bytes, files, libraries, dataDir }, { environment }) =>
    withServiceErrors(async () => {
      const change = { bytes: bound(bytes), files: bound(files), libraries: bound(libraries) };
      const { slug, quota } = await limitNamespace(configurationOf(environment, dataDir), namespace, change);
      return { slug, quota: quota ?? null };
    }),
  render: ({ slug, quota }, output) => {
    if (quota === null) output.line(`${slug} has no quota.`);
    else output.fields(quotaFields(quota));
  },
});

function bound(limit: Limit | undefined): number | null | undefined {
  return limit === 'none' ? null : limit;
}

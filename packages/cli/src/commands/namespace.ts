import type { AuditAction, Namespace } from '@bindery/contract';
import { NAMESPACE_SLUG, routes } from '@bindery/contract/wire';
import { argument, type CommandGroup, defineCommand, flag, option, text } from '../command.ts';
import { auditInputs, showAudit } from '../output/audit.ts';
import type { Output } from '../output/output.ts';
import { quotaFields } from '../output/quota.ts';
import { sanitizeLine } from '../output/text.ts';
import { nameParser } from '../parsers.ts';

const slug = nameParser(NAMESPACE_SLUG);

const list = defineCommand({
  name: 'list',
  summary: 'List the namespaces you are a member of',
  inputs: {},
  examples: [['bindery namespace list', 'your own and your teams']],
  run: async (_, context) => (await context.signedInClient()).call(routes.namespaces.listNamespaces, {}),
  render: ({ namespaces }, output) => {
    if (namespaces.length === 0) output.note('You are not a member of any namespace.');
    output.table({
      headings: ['slug', 'name', 'kind', 'role'],
      rows: namespaces.map(({ slug, displayName, kind, viewerRole }) => [
        sanitizeLine(slug),
        sanitizeLine(displayName),
        kind,
        viewerRole ?? '-',
      ]),
    });
  },
});

const create = defineCommand({
  name: 'create',
  summary: 'Create a team namespace that you own',
  inputs: {
    slug: argument('<slug>', 'its short name, used in addresses', slug),
    name: option('<text>', 'its display name; by default the slug', text),
  },
  examples: [['bindery namespace create acme --name "Acme Robotics"', 'create a team']],
  run: async ({ slug, name }, context) =>
    (await context.signedInClient()).call(routes.namespaces.createNamespace, {
      body: { slug, ...(name === undefined ? {} : { displayName: name }) },
    }),
  render: (namespace, output) => output.line(`Created namespace ${sanitizeLine(namespace.slug)}.`),
});

const info = defineCommand({
  name: 'info',
  aliases: ['show', 'inspect'],
  summary: 'Show one namespace',
  inputs: { slug: argument('<slug>', 'the namespace', slug) },
  examples: [['bindery namespace info acme', 'its name, kind and your role']],
  run: async ({ slug }, context) =>
    (await context.client()).call(routes.namespaces.getNamespace, { params: { namespace: slug } }),
  render: showNamespace,
});

const rename = defineCommand({
  name: 'rename',
  summary: 'Change the display name of a namespace; the slug stays',
  inputs: {
    slug: argument('<slug>', 'the namespace', slug),
    name: argument('<name>', 'the new display name', text),
  },
  examples: [['bindery namespace rename acme "Acme Robotics"', 'for its owners']],
  run: async ({ slug, name }, context) =>
    (await context.signedInClient()).call(routes.namespaces.patchNamespace, {
      params: { namespace: slug },
      body: { displayName: name },
    }),
  render: showNamespace,
});

const remove = defineCommand({
  name: 'delete',
  summary: 'Delete an empty team namespace',
  inputs: {
    slug: argument('<slug>', 'the namespace', slug),
    yes: flag('skip the confirmation prompt', { short: '-y' }),
  },
  examples: [['bindery namespace delete acme', 'for its owners; purge its libraries first']],
  async run({ slug, yes }, context) {
    const client = await context.signedInClient();
    await context.confirm(`Delete namespace ${slug}?`, { yes, nonInteractive: 'refuse' });
    await client.call(routes.namespaces.deleteNamespace, { params: { namespace: slug } });
    return { slug, state: 'deleted' };
  },
  render: ({ slug }, output) => output.line(`Deleted namespace ${slug}.`),
});

const audit = defineCommand({
  name: 'audit',
  summary: 'Show who changed what in a namespace, and from where',
  inputs: { slug: argument('<slug>', 'the namespace', slug), ...auditInputs },
  examples: [['bindery namespace audit acme', 'for its owners: the last 50 lines, newest first']],
  run: async ({ slug, action, ...query }, context) =>
    (await context.signedInClient()).call(routes.namespaces.readNamespaceAudit, {
      params: { namespace: slug },
      // The service checks the action.
      query: { ...query, action: action as AuditAction | undefined },
    }),
  render: showAudit,
});

export const namespace: CommandGroup = {
  name: 'namespace',
  summary: 'List, create, rename and delete namespaces, and see what happened in them',
  commands: [list, create, info, rename, remove, audit],
};

function showNamespace(namespace: Namespace, output: Output): void {
  output.fields([
    ['slug', sanitizeLine(namespace.slug)],
    ['name', sanitizeLine(namespace.displayName)],
    ['kind', namespace.kind],
    ['your role', namespace.viewerRole ?? 'none'],
    ['created', namespace.createdAt],
    ...(namespace.quota ? quotaFields(namespace.quota) : []),
  ]);
}

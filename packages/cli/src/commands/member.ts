import { NAMESPACE_SLUG, routes } from '@bindery/contract/wire';
import { argument, type CommandGroup, defineCommand, flag, oneOf, optionWithDefault } from '../command.ts';
import { sanitizeLine } from '../output/text.ts';
import { nameParser } from '../parsers.ts';

const slug = nameParser(NAMESPACE_SLUG);
const person = nameParser(NAMESPACE_SLUG);

const list = defineCommand({
  name: 'list',
  summary: 'List the members of a namespace',
  inputs: { namespace: argument('<namespace>', 'the namespace', slug) },
  examples: [['bindery member list acme', 'for its members']],
  run: async ({ namespace }, context) =>
    (await context.signedInClient()).call(routes.namespaces.listMembers, { params: { namespace } }),
  render: ({ members }, output) =>
    output.table({
      headings: ['user', 'role'],
      rows: members.map(({ userName, role }) => [sanitizeLine(userName), role]),
    }),
});

const add = defineCommand({
  name: 'add',
  summary: 'Add a member, or change a role',
  inputs: {
    namespace: argument('<namespace>', 'the namespace', slug),
    user: argument('<user>', 'the user name', person),
    role: optionWithDefault(
      '<role>',
      'owner, member or reader',
      'member',
      oneOf('owner', 'member', 'reader'),
    ),
  },
  examples: [
    ['bindery member add acme bob', 'bob can publish in acme'],
    ['bindery member add acme bob --role owner', 'bob can also manage its members'],
    ['bindery member add acme eve --role reader', 'eve can see what is private in acme, but change nothing'],
  ],
  run: async ({ namespace, user, role }, context) =>
    (await context.signedInClient()).call(routes.namespaces.putMember, {
      params: { namespace, userName: user },
      body: { role },
    }),
  render: ({ userName, role }, output) => output.line(`${sanitizeLine(userName)} now has the role ${role}.`),
});

const remove = defineCommand({
  name: 'remove',
  summary: 'Remove a member, or leave',
  inputs: {
    namespace: argument('<namespace>', 'the namespace', slug),
    user: argument('<user>', 'the user name', person),
    yes: flag('skip the confirmation prompt', { short: '-y' }),
  },
  examples: [['bindery member remove acme bob', 'what bob published stays']],
  async run({ namespace, user, yes }, context) {
    const client = await context.signedInClient();
    await context.confirm(`Remove ${user} from ${namespace}?`, { yes, nonInteractive: 'go ahead' });
    await client.call(routes.namespaces.removeMember, { params: { namespace, userName: user } });
    return { namespace, userName: user, state: 'removed' };
  },
  render: ({ namespace, userName }, output) =>
    output.line(`${userName} is no longer a member of ${namespace}.`),
});

export const member: CommandGroup = {
  name: 'member',
  summary: 'List, add and remove the members of a namespace',
  commands: [list, add, remove],
};

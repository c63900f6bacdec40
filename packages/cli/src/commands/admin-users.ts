import { changeUser, deleteUser, MACHINE, namespacesOfUser, usersPage } from '@bindery/server';
import { argument, defineCommand, flag, option, text } from '../command.ts';
import { formatCount, sanitizeLine } from '../output/text.ts';
import { pageInputs, reportPage } from './page-inputs.ts';
import { dataDir, withDatabase } from './with-database.ts';

export const usersCommand = defineCommand({
  name: 'users',
  summary: 'List the accounts of the service, directly from the database',
  description:
    'Works whether the service is running or not. --search matches user names, names and e-mail addresses.',
  inputs: { ...pageInputs('accounts'), dataDir },
  examples: [['bindery admin users --search example.org', 'accounts with such an address']],
  run: async ({ search = '', page, pageSize, dataDir }, { environment }) =>
    withDatabase(environment, dataDir, (context) => usersPage(context, { search, page, pageSize })),
  render: (found, output) => {
    output.table({
      headings: ['user', 'name', 'e-mail', 'state'],
      rows: found.users.map(({ userName, displayName, email, isOperator, disabledAt }) => [
        sanitizeLine(userName),
        sanitizeLine(displayName),
        sanitizeLine(email),
        disabledAt === null ? (isOperator ? 'operator' : '-') : 'disabled',
      ]),
    });
    reportPage(found, output);
  },
});

export const deleteUserCommand = defineCommand({
  name: 'delete-user',
  summary: 'Delete an account, directly in the database',
  description:
    'Works whether the service is running or not. Its logins and tokens end. What happens to its namespaces is shown first: ' +
    'no library, project or Note is deleted, and whatever nobody else owns goes to the account of --hand-over-to.',
  inputs: {
    userName: argument('<userName>', 'the account to delete'),
    handOverTo: option('<userName>', 'the new owner of its namespaces', text),
    yes: flag('skip the confirmation prompt', { short: '-y' }),
    dataDir,
  },
  examples: [['bindery admin delete-user ada --hand-over-to bob', 'what only "ada" owned goes to "bob"']],
  run: async ({ userName, handOverTo, yes, dataDir }, { environment, output, confirm }) =>
    withDatabase(environment, dataDir, async (parts) => {
      for (const { slug, onDeletion } of await namespacesOfUser(parts, userName)) {
        const becomes = {
          left: 'stays with its other owners',
          deleted: 'is empty and will be deleted',
          handedOver:
            handOverTo === undefined ? 'needs another owner' : `goes to "${sanitizeLine(handOverTo)}"`,
        }[onDeletion];
        output.prompt(`Namespace ${sanitizeLine(slug)} ${becomes}`);
      }
      await confirm(`Delete the account "${sanitizeLine(userName)}"?`, { yes, nonInteractive: 'refuse' });
      return { userName, ...(await deleteUser(parts, MACHINE, { userName }, { handOverTo })) };
    }),
  render: ({ userName, handedOver, deleted }, output) =>
    output.line(
      `Deleted "${userName}": ${formatCount(handedOver.length, 'namespace')} handed over, ${deleted.length} deleted.`,
    ),
});

export const operatorCommand = defineCommand({
  name: 'operator',
  summary: 'Make an account an operator of the service, or revoke that',
  description:
    'Works whether the service is running or not. Operators see the Admin pages of the dashboard. A service keeps at least one ' +
    'operator who can sign in.',
  inputs: {
    userName: argument('<userName>', 'the account'),
    remove: flag('revoke its operator role'),
    dataDir,
  },
  examples: [
    ['bindery admin operator ada', 'let "ada" administer the service'],
    ['bindery admin operator bob --remove', '"bob" is an operator no longer'],
  ],
  run: async ({ userName, remove, dataDir }, { environment }) => {
    await withDatabase(environment, dataDir, (parts) =>
      changeUser(parts, MACHINE, { userName }, { operator: !remove }),
    );
    return { userName, operator: !remove };
  },
  render: ({ userName, operator }, output) =>
    output.line(operator ? `"${userName}" is an operator.` : `"${userName}" is no longer an operator.`),
});

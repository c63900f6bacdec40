import { deleteUser, namespacesOfUser, usersPage } from '@bindery/server';
import { argument, defineCommand, flag, option, text } from '../command.ts';
import { count, plain } from '../output/text.ts';
import { dataDir, onDatabase } from './on-database.ts';
import { notePage, pageInputs } from './page-inputs.ts';

export const usersCommand = defineCommand({
  name: 'users',
  summary: 'List the accounts of the service, directly from the database',
  description:
    'Works whether the service is running or not. --search matches user names, names and e-mail addresses.',
  inputs: { ...pageInputs('accounts'), dataDir },
  examples: [['bindery admin users --search example.org', 'accounts with such an address']],
  run: async ({ search = '', page, pageSize, dataDir }, { environment }) =>
    onDatabase(environment, dataDir, ({ db }) => usersPage(db, { search, page, pageSize })),
  render: (found, output) => {
    output.table({
      headings: ['user', 'name', 'e-mail', 'state'],
      rows: found.users.map(({ userName, displayName, email, isOperator, disabledAt }) => [
        plain(userName),
        plain(displayName),
        plain(email),
        disabledAt === null ? (isOperator ? 'operator' : '-') : 'disabled',
      ]),
    });
    notePage(found, output);
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
    onDatabase(environment, dataDir, async (parts) => {
      for (const { slug, onDeletion } of await namespacesOfUser(parts, userName)) {
        const becomes = {
          left: 'stays with its other owners',
          deleted: 'is empty and will be deleted',
          handedOver: handOverTo === undefined ? 'needs another owner' : `goes to "${plain(handOverTo)}"`,
        }[onDeletion];
        output.prompt(`Namespace ${plain(slug)} ${becomes}`);
      }
      await confirm(`Delete the account "${plain(userName)}"?`, { yes, offTerminal: 'refuse' });
      return { userName, ...(await deleteUser(parts, userName, handOverTo)) };
    }),
  render: ({ userName, handedOver, deleted }, output) =>
    output.line(
      `Deleted "${userName}": ${count(handedOver.length, 'namespace')} handed over, ${deleted.length} deleted.`,
    ),
});

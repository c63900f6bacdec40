import type { PersonalAccessToken } from '@bindery/contract';
import {
  changeUser,
  deleteUser,
  disconnectUser,
  endLogins,
  type Logins,
  listLogins,
  MACHINE,
  namespacesOfUser,
  setPassword,
  signInMethodsOfUser,
  usersPage,
} from '@bindery/server';
import { argument, defineCommand, flag, option, text } from '../command.ts';
import type { Context } from '../context.ts';
import type { Output } from '../output/output.ts';
import { formatCount, sanitizeLine } from '../output/text.ts';
import { pageInputs, reportPage } from './page-inputs.ts';
import { dataDir, readPassword, withDatabase } from './with-database.ts';

const yes = flag('skip the confirmation prompt', { short: '-y' });

export const setPasswordCommand = defineCommand({
  name: 'set-password',
  summary: 'Give an account a new password and end its logins, directly in the database',
  description:
    'Works whether the service is running or not. Browsers, devices and personal access tokens of the account are signed out at once, ' +
    'as with "bindery admin end-logins". The password is read from stdin; if there are personal access tokens, ' +
    'they are listed and --yes is required.',
  inputs: {
    userName: argument('<userName>', 'whose password it is'),
    passwordStdin: flag('read the password from stdin'),
    yes,
    dataDir,
  },
  examples: [
    ['bindery admin set-password ada --yes --password-stdin < password.txt', 'a new password for "ada"'],
  ],
  run: async ({ userName, passwordStdin, yes, dataDir }, context) => {
    const password = await readPassword(passwordStdin);
    return withDatabase(context.environment, dataDir, async (parts) => {
      const { personalTokens } = await listLogins(parts, userName);
      if (personalTokens.length > 0) {
        listTokens(personalTokens, context.output);
        await confirmEnd(context, userName, personalTokens, yes);
      }
      return { userName, ended: await setPassword(parts, userName, password) };
    });
  },
  render: ({ userName, ended }, output) =>
    output.line(`Set the password of "${userName}". ${describeEnded(ended)}`),
});

export const endLoginsCommand = defineCommand({
  name: 'end-logins',
  summary: 'End every session, login and personal access token of an account',
  description:
    'For an account that may be compromised. Works whether the service is running or not, at once and on every ' +
    'replica. The personal access tokens are listed first: whatever uses them stops working. Whoever knows the password ' +
    'can sign in again; "bindery admin set-password" changes it and ends the logins too.',
  inputs: { userName: argument('<userName>', 'whose logins end'), yes, dataDir },
  examples: [['bindery admin end-logins ada', 'list what would end, ask, then end it']],
  run: async ({ userName, yes, dataDir }, context) =>
    withDatabase(context.environment, dataDir, async (parts) => {
      const { personalTokens } = await listLogins(parts, userName);
      listTokens(personalTokens, context.output);
      await confirmEnd(context, userName, personalTokens, yes);
      return { userName, ended: await endLogins(parts, userName) };
    }),
  render: ({ ended }, output) => output.line(describeEnded(ended)),
});

export const disableUserCommand = defineCommand({
  name: 'disable-user',
  summary: 'Lock an account until it is enabled again',
  description:
    'Works whether the service is running or not. Its tokens are rejected and nobody can sign in to it; what it owns stays. ' +
    'Once it is enabled, its tokens work again; "bindery admin end-logins" ends them.',
  inputs: { userName: argument('<userName>', 'the account to disable'), dataDir },
  examples: [['bindery admin disable-user ada', '"ada" can do nothing from now on']],
  run: async ({ userName, dataDir }, { environment }) => {
    await withDatabase(environment, dataDir, (parts) =>
      changeUser(parts, MACHINE, { userName }, { disabled: true }),
    );
    return { userName, disabled: true };
  },
  render: ({ userName }, output) => output.line(`Disabled "${userName}".`),
});

export const enableUserCommand = defineCommand({
  name: 'enable-user',
  summary: 'Enable a disabled account',
  inputs: { userName: argument('<userName>', 'the account to enable'), dataDir },
  examples: [['bindery admin enable-user ada', 'as before']],
  run: async ({ userName, dataDir }, { environment }) => {
    await withDatabase(environment, dataDir, (parts) =>
      changeUser(parts, MACHINE, { userName }, { disabled: false }),
    );
    return { userName, disabled: false };
  },
  render: ({ userName }, output) => output.line(`Enabled "${userName}".`),
});

export const disconnectUserCommand = defineCommand({
  name: 'disconnect-user',
  summary: 'Stop sign-in to an account through the OpenID Connect provider',
  description:
    'Works whether the service is running or not. Browsers and devices that signed in through the provider are signed out; ' +
    'the password, whatever signed in with it, and personal access tokens created in a browser stay. The owner of the ' +
    'account can connect it again after signing in with the password.',
  inputs: { userName: argument('<userName>', 'whose account it is'), yes, dataDir },
  examples: [
    ['bindery admin disconnect-user ada', 'when the account at the provider now belongs to somebody else'],
  ],
  run: async ({ userName, yes, dataDir }, { environment, output, confirm }) =>
    withDatabase(environment, dataDir, async (parts) => {
      const { password, issuers } = await signInMethodsOfUser(parts, userName);
      if (!password && issuers.length > 0) {
        output.prompt('The account has no password; "bindery admin set-password" gives it one.');
      }
      const from = issuers.length === 0 ? 'its provider' : issuers.join(', ');
      await confirm(`Disconnect "${sanitizeLine(userName)}" from ${sanitizeLine(from)}?`, {
        yes,
        nonInteractive: 'refuse',
      });
      return {
        userName,
        disconnected: (await disconnectUser(parts, MACHINE, { userName }, { passwords: true })).issuers,
        password,
      };
    }),
  render: ({ userName, disconnected }, output) =>
    output.line(`Disconnected "${sanitizeLine(userName)}" from ${sanitizeLine(disconnected.join(', '))}.`),
});

/** Lists the tokens that will stop working, before the operator is asked. */
function listTokens(tokens: readonly PersonalAccessToken[], output: Output): void {
  for (const { name, scope, namespace, createdAt } of tokens) {
    const where = namespace === null ? '' : ` in ${sanitizeLine(namespace)}`;
    output.prompt(`Personal access token "${sanitizeLine(name)}" (${scope}${where}), created ${createdAt}`);
  }
}

function confirmEnd(
  { confirm }: Context,
  userName: string,
  { length }: readonly PersonalAccessToken[],
  yes: boolean,
): Promise<void> {
  const tokens = length === 0 ? '' : `, ${formatCount(length, 'personal access token')} included`;
  return confirm(`End every login of "${sanitizeLine(userName)}"${tokens}?`, {
    yes,
    nonInteractive: 'refuse',
  });
}

function describeEnded({ sessions, devices, personalTokens }: Logins): string {
  const what = [
    formatCount(sessions, 'signed-in browser'),
    formatCount(devices, 'device login'),
    formatCount(personalTokens.length, 'personal access token'),
  ];
  return `Ended: ${what.join(', ')}.`;
}

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

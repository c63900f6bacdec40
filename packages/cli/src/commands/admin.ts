import { createInvitation, createToken, createUser, localOrigin, rotateSigningKey } from '@bindery/server';
import {
  argument,
  type CommandGroup,
  defineCommand,
  flag,
  integer,
  oneOf,
  option,
  optionWithDefault,
  requiredOption,
  text,
} from '../command.ts';
import { auditCommand } from './admin-audit.ts';
import { backupCommand, restoreCommand } from './admin-backup.ts';
import { doctorCommand, fsckCommand, gcCommand, reindexCommand } from './admin-fsck.ts';
import {
  deleteUserCommand,
  disableUserCommand,
  disconnectUserCommand,
  enableUserCommand,
  endLoginsCommand,
  operatorCommand,
  setPasswordCommand,
  usersCommand,
} from './admin-logins.ts';
import { migrateCommand, migrateDatabaseCommand, migrateStorageCommand } from './admin-migrate.ts';
import { handOverCommand, namespacesCommand, quotaCommand } from './admin-namespaces.ts';
import {
  pauseWebhookCommand,
  redeliverCommand,
  resumeWebhookCommand,
  serviceEventsCommand,
  webhookDeliveriesCommand,
  webhooksCommand,
} from './admin-webhooks.ts';
import { configurationOf, dataDir, readPassword, withDatabase, withServiceErrors } from './with-database.ts';

const MAX_EXPIRY = 3_650;

const createUserCommand = defineCommand({
  name: 'create-user',
  summary: 'Create an account, directly in the database',
  description:
    'Works whether the service is running or not. The password is read from stdin, so that it stays out of the shell ' +
    'history. The first account of a service is an operator.',
  inputs: {
    userName: argument('<userName>', 'user name, also the name of the personal namespace'),
    email: requiredOption('<address>', 'e-mail address to sign in with', text),
    passwordStdin: flag('read the password from stdin'),
    displayName: option('<name>', 'display name; by default the user name', text),
    operator: flag('make it an operator, who can administer the service in the dashboard'),
    dataDir,
  },
  examples: [
    [
      'bindery admin create-user ada --email ada@example.org --password-stdin < password.txt',
      'create the account "ada"',
    ],
  ],
  run: async ({ userName, email, passwordStdin, displayName, operator, dataDir }, { environment }) => {
    const password = await readPassword(passwordStdin);
    return withDatabase(
      environment,
      dataDir,
      async (parts) => {
        const user = { userName, email, password, displayName };
        const { accountId } = await createUser(parts, user, { operator: operator || 'if-first' });
        return { id: accountId, userName, email, namespace: userName };
      },
      { create: true },
    );
  },
  render: ({ userName }, output) => output.line(`Created the account "${userName}" and its namespace.`),
});

const createTokenCommand = defineCommand({
  name: 'create-token',
  summary: 'Create a personal access token, directly in the database',
  description: 'Works whether the service is running or not. The token is shown once.',
  inputs: {
    userName: argument('<userName>', 'whose token it is'),
    scope: optionWithDefault('<scope>', 'read or write', 'write', oneOf('read', 'write')),
    expires: option(
      '<days>',
      'days until it expires; by default never',
      integer({ min: 1, max: MAX_EXPIRY }),
    ),
    name: option('<name>', 'what it is for', text),
    dataDir,
  },
  examples: [['BINDERY_TOKEN=$(bindery admin create-token ada)', 'a token for scripts on this machine']],
  run: async ({ userName, scope, expires, name, dataDir }, { environment }) =>
    withDatabase(environment, dataDir, (parts) =>
      createToken(parts, userName, {
        scope,
        ...(expires !== undefined && { expiresInDays: expires }),
        ...(name !== undefined && { name }),
      }),
    ),
  render: ({ token }, output) => output.line(token),
});

const createInvitationCommand = defineCommand({
  name: 'create-invitation',
  summary: 'Create a link with which one person can create an account',
  description: 'The link is shown once and is valid for a week. It works if BINDERY_SIGNUP is "invite".',
  inputs: { dataDir },
  examples: [['bindery admin create-invitation', 'print the link']],
  run: async ({ dataDir }, { environment, output }) => {
    const { publicUrl, host, port } = await withServiceErrors(async () =>
      configurationOf(environment, dataDir),
    );
    const { link, expiresAt } = await withDatabase(environment, dataDir, createInvitation);
    const origin = publicUrl ?? localOrigin(host, port);
    if (publicUrl === null) {
      output.note(
        `BINDERY_PUBLIC_URL is not set here: replace ${origin} if others reach the service elsewhere.`,
      );
    }
    const url = origin + link;
    return { url, expiresAt: new Date(expiresAt).toISOString() };
  },
  render: ({ url }, output) => output.line(url),
});

const rotateSigningKeyCommand = defineCommand({
  name: 'rotate-signing-key',
  summary: 'Rotate the key that signs tokens',
  description:
    'Works whether the service is running or not; it follows within a minute. Tokens signed with the previous key stay valid, so that rotating twice ends every login. Personal access tokens are not affected.',
  inputs: { dataDir },
  examples: [['bindery admin rotate-signing-key', 'a new key']],
  run: async ({ dataDir }, { environment }) => ({
    keyId: await withDatabase(environment, dataDir, rotateSigningKey),
  }),
  render: ({ keyId }, output) => output.line(`Now signing with the key ${keyId}.`),
});

export const admin: CommandGroup = {
  name: 'admin',
  summary: 'Administer a service on its own machine',
  commands: [
    createUserCommand,
    setPasswordCommand,
    endLoginsCommand,
    disableUserCommand,
    enableUserCommand,
    disconnectUserCommand,
    operatorCommand,
    usersCommand,
    deleteUserCommand,
    namespacesCommand,
    handOverCommand,
    quotaCommand,
    auditCommand,
    webhooksCommand,
    pauseWebhookCommand,
    resumeWebhookCommand,
    serviceEventsCommand,
    webhookDeliveriesCommand,
    redeliverCommand,
    createTokenCommand,
    createInvitationCommand,
    rotateSigningKeyCommand,
    reindexCommand,
    backupCommand,
    restoreCommand,
    migrateCommand,
    migrateDatabaseCommand,
    migrateStorageCommand,
    fsckCommand,
    gcCommand,
    doctorCommand,
  ],
};

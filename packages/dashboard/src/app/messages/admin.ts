import { formatBytes } from '../../format-quantities.ts';
import { counted, formatCount } from '../format.ts';
import { messages } from '../messages.ts';

export const adminMessages = {
  title: messages.titles.admin,
  pages: 'Admin pages',
  overview: 'Overview',
} as const;

export const usersMessages = {
  title: 'Users',
  search: 'Search users by name or e-mail address',
  count: (count: number) => counted(count, 'account', 'accounts'),
  none: 'No users found',
  operator: 'operator',
  disabled: (date: string) => `disabled since ${date}`,
  since: (date: string) => `since ${date}`,
  disable: 'Disable',
  disableTitle: (userName: string) => `Disable ${userName}?`,
  disableDetail:
    'Their tokens are rejected and they cannot sign in until you enable them again. What they own stays.',
  enable: 'Enable',
  promote: 'Make operator',
  promoteTitle: (userName: string) => `Make ${userName} an operator of the service?`,
  promoteDetail: 'Operators see these pages and can disable and delete accounts.',
  demote: 'Remove operator role',
  demoteTitle: (userName: string) => `Remove ${userName}’s operator role?`,
  demoteDetail: 'Their account otherwise stays as it is.',
  account: 'Account',
  signedIn: 'Signed in',
  logins: (browsers: number, devices: number, tokens: number) =>
    [
      counted(browsers, 'browser', 'browsers'),
      counted(devices, 'device', 'devices'),
      counted(tokens, 'personal token', 'personal tokens'),
    ].join(', '),
  signsInBy: (password: boolean, issuers: readonly string[]) => {
    const ways = [...(password ? ['password'] : []), ...issuers];
    return ways.length === 0 ? 'No sign-in method' : `Signs in by ${ways.join(', ')}`;
  },
  disconnect: 'Disconnect the provider',
  disconnectTitle: (userName: string) => `Disconnect ${userName} from the provider?`,
  disconnectDetail: (password: boolean) =>
    [
      'Browsers and devices that signed in through it are signed out.',
      password
        ? 'The password stays valid.'
        : 'There is no password: until “bindery admin set-password” sets one, nobody can sign in to the account.',
    ].join(' '),
  namespaces: 'Namespaces',
  onDeletion: {
    left: 'stays with its other owners',
    deleted: 'is empty and would be deleted',
    handedOver: 'needs another owner',
  },
  noNamespaces: 'They belong to no namespace.',
  delete: 'Delete account',
  deleteTitle: (userName: string) => `Delete the account ${userName}?`,
  deleteDetail: (deleted: number, handedOver: number, heir: string) =>
    [
      'Their logins and tokens are revoked, and the account cannot be restored.',
      deleted > 0 && `Empty namespaces that are deleted with it: ${formatCount(deleted)}.`,
      handedOver > 0 &&
        `Namespaces that go to ${heir === '' ? 'nobody yet' : heir}: ${formatCount(handedOver)}.`,
      'No library is deleted.',
    ]
      .filter((sentence) => sentence !== false)
      .join(' '),
  heir: 'New owner of its namespaces (user name)',
} as const;

export const invitationsMessages = {
  title: 'Add people',
  detail:
    'An invitation is a link with which one person creates an account within seven days, with a password of their own.',
  email: 'E-mail address (optional)',
  invite: 'Create invitation',
  once: 'Send this link to the person. It is shown only once:',
  link: 'Invitation link',
  open: 'Open invitations',
  anybody: 'Whoever has the link',
  madeBy: (userName: string | null, date: string) =>
    `by ${userName ?? 'a command on the server'}, valid until ${date}`,
  revoke: 'Revoke',
  revokeOf: (whom: string) => `Revoke the invitation: ${whom}`,
  revokeTitle: (whom: string) => `Revoke the invitation (${whom})?`,
  revokeDetail: 'Its link stops working at once.',
  createTitle: 'Create an account with a password',
  createDetail: 'You choose the first password and tell it to the person, who can change it.',
  fields: { userName: 'User name', email: 'E-mail address', password: 'Password' },
  create: 'Create account',
  created: (userName: string) => `The account ${userName} is created.`,
} as const;

export const allNamespacesMessages = {
  title: 'Namespaces',
  search: 'Search namespaces',
  none: 'No namespaces found',
  count: (count: number) => counted(count, 'namespace', 'namespaces'),
  kinds: { personal: 'personal', team: 'team' },
  holds: (libraries: number, members: number) =>
    `${counted(libraries, 'library', 'libraries')}, ${counted(members, 'member', 'members')}`,
  largest: 'Largest libraries',
  quota: 'Quota',
  quotaDetail:
    'Current revisions, the Trash and releases count. Leave a field empty for no limit. Nothing is deleted if the namespace already holds more.',
  quotaFields: { libraries: 'Libraries', files: 'Files', gibibytes: 'GiB' },
  setQuota: 'Set quota',
  noLibraries: 'It has no libraries.',
  inTrash: 'in the Trash',
  members: 'Members',
  handOver: 'Make an owner',
  handOverDetail: 'Present members stay. They see the new owner in their list.',
  userName: 'User name',
  handedOver: (userName: string) => `${userName} is now an owner.`,
} as const;

export const allWebhooksMessages = {
  title: messages.titles.webhooks,
  search: 'Search webhooks by namespace',
  state: 'State',
  anyState: 'any',
  none: 'There are no such webhooks',
  of: (namespace: string, host: string) => `${namespace} to ${host}`,
  sendsTo: (host: string) => `Sends to ${host}`,
  tell: 'Send service events',
  untell: 'Stop service events',
  counts: (waiting: number, failed: number) =>
    `${formatCount(waiting)} pending, ${formatCount(failed)} failed`,
} as const;

export const healthMessages = {
  title: 'Health',
  ready: 'The service is ready',
  failing: 'The service is not ready',
  facts: 'Facts',
  version: 'Version',
  node: 'Node',
  database: 'Database',
  started: 'Running since',
  memory: 'Memory',
  transferred: 'Received and sent',
  amounts: (bytesIn: number, bytesOut: number) => `${formatBytes(bytesIn)} and ${formatBytes(bytesOut)}`,
  requests: 'Requests in the last hour',
  summary: (requests: number, failures: number, milliseconds: number) =>
    `${formatCount(requests)} requests, ${formatCount(failures)} failed, ${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms on average`,
  ofProcess: 'This server process only.',
} as const;

export const storageMessages = {
  title: 'Storage',
  picture: 'Disk usage',
  libraries: 'Libraries',
  trash: 'In the Trash',
  unregistered: 'Pending uploads (max.)',
  others: 'Other files',
  reserve: 'Kept free for the database',
  free: 'Free for uploads',
  noDisk: 'The files are not on a disk of this service.',
  pending: (count: number) => `Objects waiting to be reclaimed: ${formatCount(count)}.`,
  damaged: (count: number) => `Stored objects found damaged: ${formatCount(count)}.`,
  sound: 'No stored object is known to be damaged.',
  amount: (libraries: number, files: number, bytes: number) =>
    [counted(libraries, 'library', 'libraries'), counted(files, 'file', 'files'), formatBytes(bytes)].join(
      ', ',
    ),
} as const;

export const modelsMessages = {
  title: 'Models',
  active: (model: string) => `Queries are encoded with ${model}.`,
  none: 'No model is in use: search is by keyword only.',
  configured: (model: string) => `${model} is configured but not installed.`,
  withVectors: 'Vectors of libraries',
  noVectors: 'without vectors',
  amount: (libraries: number, assets: number) =>
    `${counted(libraries, 'library', 'libraries')}, ${counted(assets, 'asset', 'assets')}`,
} as const;

import { messages } from '../messages.ts';

export const accountMessages = {
  title: messages.titles.account,
  namespaces: 'Namespaces',
  newNamespace: 'New namespace for a team',
  make: 'Create',
  connect: 'Connect a device',
  leave: 'Leave',
  leaveOf: (namespace: string) => `Leave ${namespace}`,
  leaveTitle: (namespace: string) => `Leave ${namespace}?`,
  leaveDetail: 'You will see only what is public there, until one of its owners adds you again.',
} as const;

export const loginsMessages = {
  title: 'Where you are signed in',
  detail: 'Browsers, and terminals that ran “bindery login”. Those show a code, which you approve here.',
  kinds: { browser: 'browser', device: 'device' },
  thisOne: 'this browser',
  since: (date: string) => `since ${date}`,
  end: 'Sign out',
  endOf: (name: string, date: string) => `Sign out ${name}, signed in since ${date}`,
  endTitle: (name: string) => `Sign ${name} out?`,
  endBrowser: 'It asks for your password again.',
  endDevice: 'Its tokens are revoked, and so are personal tokens created with it.',
} as const;

export const providerMessages = {
  title: (name: string) => `Sign-in with ${name}`,
  connected: (name: string) => `You sign in with ${name}.`,
  only: 'It is the only way to sign in to your account.',
  notConnected: (name: string) => `Your account is not connected with ${name}.`,
  connect: 'Connect',
  disconnect: 'Disconnect',
  disconnectTitle: (name: string) => `Disconnect ${name}?`,
  disconnectDetail: (name: string) =>
    `From then on you sign in with your password only. Browsers and devices that signed in with ${name} are signed out, perhaps including this one; personal tokens created in a browser stay.`,
} as const;

export const passwordMessages = {
  title: 'Password',
  detail: 'A new password signs you out everywhere, including here, and revokes your personal tokens.',
  current: 'Current password',
  new: 'New password',
  change: 'Change password',
} as const;

export const tokensMessages = {
  title: 'Personal access tokens',
  detail: 'For machines and scripts: set one as BINDERY_TOKEN. Tokens stay valid when you sign out here.',
  none: 'You have no tokens.',
  name: 'Name',
  scope: 'Permissions',
  scopes: { read: 'Read', write: 'Read and write' },
  only: (namespace: string) => `only in ${namespace}`,
  expires: 'Expires after',
  days: (days: number) => `${days} days`,
  never: 'never expires',
  until: (date: string) => `until ${date}`,
  made: (date: string) => `created ${date}`,
  make: 'Create token',
  once: 'This is shown only once:',
  revoke: 'Revoke',
  revokeOf: (name: string) => `Revoke the token ${name}`,
  revokeTitle: (name: string) => `Revoke “${name}”?`,
  revokeDetail: 'Whatever uses it stops working at once.',
} as const;

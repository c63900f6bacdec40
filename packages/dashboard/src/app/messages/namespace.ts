import { counted } from '../format.ts';
import { messages } from '../messages.ts';

export const namespaceMessages = {
  libraries: (count: number) => counted(count, 'library', 'libraries'),
  more: 'More of this namespace',
  empty: 'No libraries here',
  emptyDetail: 'This namespace has no libraries that you can see.',
  emptyOwn: 'No libraries yet',
} as const;

export const membersMessages = {
  title: messages.titles.members,
  roles: { reader: 'reader', member: 'member', owner: 'owner' },
  choices: {
    reader: 'reader: sees private libraries',
    member: 'member: also publishes',
    owner: 'owner: also decides about members',
  },
  remove: 'Remove',
  removeOf: (userName: string) => `Remove ${userName}`,
  removeTitle: (userName: string) => `Remove ${userName}?`,
  removeDetail: 'From now on they see only what is public here.',
  onlyOwners: (owners: readonly string[]) =>
    `Only owners can change members: ${new Intl.ListFormat('en').format(owners)}.`,
} as const;

export const trashMessages = {
  title: messages.titles.trash,
  empty: 'The Trash is empty',
  restore: 'Restore',
  restoreOf: (address: string) => `Restore ${address}`,
  purge: 'Purge',
  purgeOf: (address: string) => `Purge ${address}`,
  purgeTitle: (address: string) => `Permanently delete ${address}?`,
  purgeDetail: 'Its files are deleted and cannot be restored.',
} as const;

export const quotaMessages = {
  title: 'Quota',
  scarce: 'There is little space left. Purge libraries, delete releases, or ask an operator for more.',
  usedOf: (used: string | null, limit: string) =>
    used === null ? `At most ${limit}` : `${used} of at most ${limit}`,
  counts: {
    libraries: (count: number) => counted(count, 'library', 'libraries'),
    files: (count: number) => counted(count, 'file', 'files'),
  },
} as const;

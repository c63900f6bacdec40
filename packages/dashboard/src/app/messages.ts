import { counted, dotted, formatCount } from './format.ts';

/** Words that pages share. Those of one page are in `messages/`. */
export const messages = {
  product: 'Bindery',
  skip: 'Skip to the content',
  signIn: 'Sign in',
  signOut: 'Sign out',
  signInFirst: 'Sign in to see this',
  signedOut: 'You have been signed out.',
  signInToGoOn: 'Sign in to continue',
  signInAgain: 'This requires a sign-in within the last hour.',
  loading: 'Loading…',
  again: 'Try again',
  copy: 'Copy',
  copied: 'Copied',
  copyByHand: 'Select the text and copy it with your keyboard.',
  close: 'Close',
  cancel: 'Cancel',
  visibility: {
    label: 'Visibility',
    private: 'Private',
    public: 'Public',
    choices: { private: 'Private: members only', public: 'Public: everybody' },
  },
  titles: {
    account: 'Your account',
    admin: 'Admin',
    members: 'Members',
    audit: 'Audit log',
    webhooks: 'Webhooks',
    trash: 'Trash',
    projects: 'Projects',
    notes: 'Notes',
  },

  menu: {
    title: 'Menu',
    theme: 'Theme',
    themes: { system: 'System', light: 'Light', dark: 'Dark' },
  },

  confirm: {
    type: (text: string) => `Type ${text} to confirm`,
  },

  failure: {
    title: 'Something went wrong',
    network: 'The service cannot be reached. Check your connection; this page continues once it is back.',
    unreachable: 'The service cannot be reached. Check your connection, then try again.',
    missing: 'Not found',
    missingDetail:
      'This does not exist, or you have no access. If somebody shared it with you, open the complete link, or sign in.',
    goTo: (place: string) => `Go to ${place}`,
    searchFor: (name: string) => `Search for ${name}`,
    forbidden: 'No access',
    request: (id: string) => `Request ${id}`,
  },

  people: {
    userName: 'User name',
    role: 'Role',
    roleOf: (userName: string) => `Role of ${userName}`,
    add: 'Add',
  },

  uses: {
    of: (downloads: number, usedBy: number) =>
      dotted(
        downloads > 0 && counted(downloads, 'download', 'downloads'),
        usedBy > 0 && `used by ${counted(usedBy, 'project', 'projects')}`,
      ),
    downloads: 'Downloads',
    usedBy: 'Used by',
    projects: (count: number) => counted(count, 'project', 'projects'),
    favourite: 'Favourite',
  },

  pager: {
    label: 'Pages',
    previous: 'Previous',
    next: 'Next',
    at: (page: number, all: number) => `Page ${formatCount(page)} of ${formatCount(all)}`,
  },
} as const;

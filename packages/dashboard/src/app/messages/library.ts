import { formatBytes } from '../../format-quantities.ts';
import { counted, formatChanges, formatCount } from '../format.ts';

export const libraryMessages = {
  searchLabel: (title: string) => `Search ${title}`,
  parts: 'Parts of this library',
  tabs: {
    assets: 'Assets',
    readme: 'README',
    releases: 'Releases',
    history: 'History',
    proposals: 'Proposals',
    settings: 'Settings',
  },
  noReadme: 'This library has no README. Push a README.md at the root of its folder to add one.',
  placeholder: (assets: number | undefined) =>
    assets === undefined ? 'Search' : `Search ${counted(assets, 'asset', 'assets')}`,
  assets: (count: number) => counted(count, 'asset', 'assets'),
  files: (count: number, bytes: number) => `${counted(count, 'file', 'files')}, ${formatBytes(bytes)}`,
  revision: (revision: number) => `Revision ${formatCount(revision)}`,
  private: 'Private',
  public: 'Public',
  about: 'About this library',
  pull: 'Pull the whole library',
  credits: 'Credits',
  licences: 'Licences',
  homepage: 'Homepage',
  upstream: 'Upstream',
  tags: 'Tags',
  provider: 'Provider',
  vectors: 'Search',
  vectorsOf: 'by keyword and meaning',
  noVectors: 'by keyword',
} as const;

export const releasesMessages = {
  one: 'Release',
  detail: (revision: number) =>
    `A release is a permanent name for the current revision (${formatCount(revision)}).`,
  name: 'Name of the release',
  nameRule:
    'A name consists of letters from a to z, digits, dots, dashes and underscores, begins with a letter or a digit, and is not “latest”.',
  make: 'Create a release',
  made: (name: string, revision: number) => `Revision ${formatCount(revision)} is now ${name}.`,
  movedOn:
    'Somebody has published another revision in the meantime. It is shown now: review it, then create the release.',
  terminal: 'From a terminal',
  delete: (name: string) => `Delete ${name}`,
  deleteTitle: (name: string) => `Delete the release ${name}?`,
  deleteDetail:
    'It can no longer be pulled or viewed. Files that neither the newest revision nor another release has are deleted after a while.',
  freedIsAsked: 'Checking how much that frees…',
  freedUnknown: 'The service does not know how much that frees.',
  freed: (objects: number, bytes: number) =>
    objects === 0
      ? 'That frees nothing: all of it is still in use.'
      : `That frees ${formatBytes(bytes)} (${counted(objects, 'object', 'objects')}).`,
  none: 'There are no releases yet. A release keeps one revision under a permanent name.',
  toNewest: 'Go to the newest revision',
  since: (name: string) => `Changes since ${name}`,
  shown: (name: string) => `This is release ${name}.`,
  chosen: 'shown now',
  madeBy: (date: string, userName: string) => `${date} by ${userName}`,
  notes: 'Notes',
  notesOf: (name: string) => `Notes on ${name}`,
  older: 'Older releases',
  empty: 'There are no assets in this release',
} as const;

export const historyMessages = {
  kept: (days: number) =>
    days === 0
      ? 'A replaced revision can be compared until its files are reclaimed, by those who manage the library. Releases stay.'
      : `Those who manage the library can go back to a replaced revision for ${formatCount(days)} days. Releases stay.`,
  cost: (revisions: number, bytes: number) =>
    `${counted(revisions, 'replaced revision is', 'replaced revisions are')} kept: ${formatBytes(bytes)} are stored for that alone, and do not count against a quota.`,
  title: 'History',
  restore: 'Restore',
  restoreRevision: (revision: number) => `Restore revision ${formatCount(revision)}`,
  restoreTitle: (revision: number) => `Restore revision ${formatCount(revision)}?`,
  restoreDetail: 'Its content becomes the next revision. What is current now stays in the history.',
  pull: (revision: number) => `Command that pulls revision ${formatCount(revision)}`,
  changed: ({ assetsAdded, assetsChanged, assetsRemoved }: ChangeCounts) =>
    formatChanges([assetsAdded, assetsChanged, assetsRemoved], 'asset', 'assets') ?? 'No asset changed',
  compare: 'Compare versions',
} as const;

export const manageMessages = {
  visibility: 'Visibility',
  isPublic: 'Everybody who can reach this service can see it.',
  isPrivate: 'Only members of its namespace and people with its share link can see it.',
  makePublic: 'Make public',
  makePrivate: 'Make private',
  share: 'Share link',
  shareDetail: 'Anyone with this link can see the library, without an account.',
  noShare: 'A share link gives people without an account access to a private library.',
  makeShare: 'Create share link',
  rotate: 'Reset link',
  rotateTitle: 'Reset the share link?',
  unshare: 'Delete link',
  unshareTitle: 'Delete the share link?',
  unshareDetail: 'It stops working at once for everybody who has it, and cannot be brought back.',
  trash: 'Move to the Trash',
  trashTitle: (title: string) => `Move ${title} to the Trash?`,
  trashDetail: 'Nobody can see it there. It can be restored until it is purged.',
} as const;

export const watchMessages = {
  title: 'Watched source',
  detail: (hosts: readonly string[]) =>
    `The service imports it again and again, as you. Hosts that are allowed: ${hosts.join(', ')}.`,
  source: 'Source',
  every: 'Import it',
  schedules: { hourly: 'every hour', daily: 'every day', weekly: 'every week' },
  start: 'Watch',
  again: 'Import now',
  stop: 'Stop watching',
  stopTitle: 'Stop watching this source?',
  stopDetail: 'The library stays as it is.',
  states: {
    waiting: 'Waiting',
    running: 'Importing now',
    failing: 'Failed, will be tried again',
    stopped: 'Stopped',
  },
  next: (time: string) => `next import ${time}`,
  setBy: (user: string) => `as ${user}`,
  last: (time: string, added: number, changed: number) =>
    `Last import ${time}: ${counted(added, 'asset', 'assets')} added, ${formatCount(changed)} changed.`,
  nothing: (time: string) => `Last import ${time}: nothing had changed.`,
  gone: (count: number, ids: readonly string[]) =>
    `${counted(count, 'asset is', 'assets are')} no longer in the source and stay here: ${ids.slice(0, 10).join(', ')}${count > 10 ? ', …' : ''}`,
} as const;

export const editMessages = {
  title: 'Edit details',
  name: 'Title',
  description: 'Description',
  license: 'Licence (an SPDX identifier, if there is one)',
  meantLicense: 'Did you mean',
  tags: 'Tags, separated by commas',
  save: 'Save',
  saved: 'Saved.',
  unchanged: 'Nothing has changed.',
  asWritten: (license: string) => `Save again to keep “${license}”.`,
  keepMine: 'Keep mine anyway',
  detail: 'This creates a new revision, and is written to bindery.yml for everyone who pulls the library.',
} as const;

interface ChangeCounts {
  assetsAdded: number;
  assetsChanged: number;
  assetsRemoved: number;
}

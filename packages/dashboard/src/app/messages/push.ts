import { formatBytes } from '../../format-quantities.ts';
import { counted, formatCount } from '../format.ts';

export const pushMessages = {
  thumbnails: {
    heading: 'Pictures',
    detail: 'Draws models that have no picture, and measures those that were never measured.',
    draw: 'Draw pictures',
    all: 'Every model has a picture.',
    title: 'Generate thumbnails for models that have none',
    looking: 'Looking for models without a thumbnail…',
    drawing: (at: number, total: number) => `Generating thumbnail ${at} of ${total}…`,
    drawn: (drawn: number, total: number) =>
      drawn === total
        ? `${counted(total, 'thumbnail', 'thumbnails')} generated.`
        : `${formatCount(drawn)} of ${counted(total, 'thumbnail', 'thumbnails')} generated. The list says why the others are not.`,
    problem: (reason: string) => `No thumbnail: ${reason}`,
    tooLarge: (bytes: number) => `it has more than ${formatBytes(bytes)}. The command line draws it`,
    tooMany: (count: number) => `only ${count} are generated after a push. The command line draws the others`,
    noEntry: 'it has no file that a viewer opens',
    late: 'it took too long',
    stop: 'Stop',
  },
  title: 'Push a folder',
  proposeTitle: 'Propose a folder',
  newTitle: 'New library',
  newLibrary: 'New library',
  firstDetail: 'Publish a folder of robots, meshes or splats as a library.',
  firstDetailHere: 'Drop a folder anywhere on this page, or choose one.',
  firstTerminal: 'Or from a terminal',
  namespace: 'Namespace',
  name: 'Name of the library',
  nameRule:
    'Use 1–64 lowercase letters, digits, dots, underscores or hyphens, beginning with a letter or digit.',
  nameFirst: 'Give the library a name.',
  drop: 'Drop a folder here',
  chooseFolder: 'Choose a folder',
  chooseFiles: 'Choose files',
  dropDetail: 'You can review the result before anything is sent.',
  picked: (folder: string, files: number) =>
    `${folder === '' ? 'Several things' : folder}: ${counted(files, 'file', 'files')}.`,
  another: 'Choose another',
  reading: 'Reading its contents…',
  sending: 'Sending…',
  done: (of: { bytes: number; totalBytes: number; files: number; totalFiles: number }) =>
    `${formatBytes(of.bytes)} of ${formatBytes(of.totalBytes)}, ${formatCount(of.files)} of ${formatCount(of.totalFiles)} files`,
  plan: 'Review changes',
  publishedPlan: 'Published changes',
  assets: 'Assets',
  id: 'Id',
  files: (count: number, bytes: number) => `${counted(count, 'file', 'files')}, ${formatBytes(bytes)}`,
  from: (origin: string) => `(from ${origin})`,
  count: {
    added: (count: number) => `${formatCount(count)} added`,
    changed: (count: number) => `${formatCount(count)} changed`,
    removed: (count: number) => `${formatCount(count)} removed`,
    unchanged: (count: number) => `${formatCount(count)} unchanged`,
  },
  change: { added: 'Added', changed: 'Changed', removed: 'Removed', unchanged: 'Unchanged' },
  toSend: (files: number, bytes: number) =>
    files === 0 ? 'nothing to send' : `${counted(files, 'file', 'files')} to send, ${formatBytes(bytes)}`,
  showAll: (count: number) => `Show all ${formatCount(count)}`,
  warnings: (count: number) => counted(count, 'problem', 'problems'),
  leftOut: (count: number) => `${formatCount(count)} left out`,
  removals: 'This removes details',
  loses: (asset: string | null, keys: readonly string[]) =>
    `${asset ?? 'The library'} loses its ${keys.join(', ')}`,
  withheld: (path: string, rule: string) => `${path} is published and will be removed: it is ${rule}`,
  coverage: {
    title: 'What is this folder?',
    part: (folder: string) =>
      folder === ''
        ? 'Part of the library: its contents are added or replaced, and everything else stays.'
        : `Part of the library: it becomes the folder ${folder} there, and everything else stays.`,
    whole: 'The whole library: anything that it does not contain is removed.',
  },
  publish: 'Publish changes',
  exists: (address: string) =>
    `There is a library ${address} already. Publishing changes it; choose another name to create a new one.`,
  removeTitle: (count: number) => (count === 1 ? 'Remove 1 asset?' : `Remove ${formatCount(count)} assets?`),
  removeDetail:
    'The folder does not contain them, so the next revision of the library will not either. Earlier releases keep them.',
  removalsTitle: 'Remove what the plan lists?',
  removalsDetail:
    'The texts and licences that the folder does not state, and the files that it leaves out, will not be in the next revision.',
  publishNew: 'Publish library',
  nothingToDo: 'The library already contains exactly this.',
  published: (revision: number) => `Published as revision ${formatCount(revision)}.`,
  unchanged: 'The library already contains exactly this.',
  open: 'Open library',
  planAgain: 'Review again',
  goOn: 'Continue',
  interrupted:
    'The service cannot be reached. What has arrived is kept: continue when the connection is back, even after closing this page.',
  signedOut:
    'You are signed out. Nothing was published; the folder is kept, and what has arrived is not sent again. Sign in as the same person to continue here.',
  inTrash: 'The library was moved to the Trash. Nothing was published. Restore it, then continue.',
  openTrash: 'Open Trash',
  gone: 'The library was purged. Nothing was published. Review again to create it from scratch.',
  nowPublic: 'The library is now public: it was changed in the meantime. Nothing was published.',
  nowPrivate: 'The library is now private: it was public when you reviewed this. Nothing was published.',
  conflict: 'Somebody else published in the meantime. Nothing was changed; review what would happen now.',
  openQuota: 'Storage of the namespace',
  leave: 'The upload has not finished. Leave it? What has arrived is not sent again.',
  terminal: 'The same from a terminal, with thumbnails',
} as const;

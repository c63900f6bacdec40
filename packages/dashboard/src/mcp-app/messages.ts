/** Every text of the document that hosts of agents show. */
export const messages = {
  loading: 'Loading …',
  open: 'Open in Bindery',
  back: 'All hits',
  viewer: (title: string) => `View of ${title}`,
  notShown: (reason: string) => `No view here: ${reason}`,
  noFiles: 'this host does not pass on the files of assets',
  noEntry: 'the asset has no file to open',
  noAnswer: 'the service did not send it',
  damaged: (path: string) => `${path} does not match its hash`,
  tooMany: 'the asset has too many files',
  files: (count: number) => (count === 1 ? '1 file' : `${count.toLocaleString('en')} files`),
  triangles: (count: number) => `${count.toLocaleString('en')} triangles`,
  joints: (count: number) => (count === 1 ? '1 joint' : `${count} joints`),
};

import type { PickedFile } from '@bindery/sdk/browser/push';
import type { PickedFolder, Target } from './protocol.ts';

/** Returns picked files with their paths in the library, in which they belong in a folder. */
export function inFolder(folder: string, files: PickedFile[]): PickedFile[] {
  return folder === '' ? files : files.map((file) => ({ ...file, path: `${folder}/${file.path}` }));
}

/** Returns the files chosen in an `<input webkitdirectory>`. */
export function folderFromInput(list: FileList): PickedFolder {
  const files = [...list].map((file) => {
    const path = file.webkitRelativePath || file.name;
    return { path, size: file.size, blob: file };
  });
  return withoutFolder(files);
}

/** Returns what was dropped. Must be called while the event is dispatched: its items are not available afterwards. */
export function folderFromDrop({ items }: DataTransfer): Promise<PickedFolder> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  return collect(entries);
}

/** Folders that are never published. They are not read, only listed by name. */
const NOT_READ = /^(\.|__MACOSX$)/;

async function collect(entries: readonly FileSystemEntry[]): Promise<PickedFolder> {
  const files: PickedFile[] = [];
  const waiting = entries.map((entry) => ({ entry, path: entry.name }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { entry, path } = next;
    if (isFile(entry)) {
      const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
      files.push({ path, size: file.size, blob: file });
    } else if (isFolder(entry)) {
      if (NOT_READ.test(entry.name) && path !== entry.name) files.push({ path, size: 0, blob: new Blob() });
      else
        for (const child of await childrenOf(entry))
          waiting.push({ entry: child, path: `${path}/${child.name}` });
    }
  }
  return withoutFolder(files);
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

/** A reader returns some entries per call, and none at the end. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}

/** Strips the top-level folder if all files are in one. */
function withoutFolder(files: PickedFile[]): PickedFolder {
  const folders = new Set(files.map(({ path }) => path.slice(0, path.indexOf('/') + 1)));
  const [prefix = ''] = folders;
  if (folders.size !== 1 || prefix === '') return { folder: '', files };
  return {
    folder: prefix.slice(0, -1),
    files: files.map((file) => ({ ...file, path: file.path.slice(prefix.length) })),
  };
}

let dropped: { onto: Target; picked: PickedFolder } | null = null;

/** Holds what was dropped on the page of a library for the page that pushes it there. */
export function setDroppedFolder(onto: Target, picked: PickedFolder): void {
  dropped = { onto, picked };
}

/** Returns what was dropped on the page of this library; anything else is forgotten. */
export function takeDroppedFolder(target: Target | null): PickedFolder | null {
  const taken = dropped;
  dropped = null;
  const isHere = taken?.onto.namespace === target?.namespace && taken?.onto.name === target?.name;
  return isHere ? (taken?.picked ?? null) : null;
}

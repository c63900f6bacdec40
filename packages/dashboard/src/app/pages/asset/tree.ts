import type { PresignedFile } from '@bindery/contract';

export interface Folder {
  name: string;
  /** Its path with a slash at the end; empty for the root. */
  path: string;
  folders: Folder[];
  files: PresignedFile[];
  /** Files in this folder and all folders below it. */
  count: number;
  bytes: number;
}

/** Groups files by the folders of their paths, folders first, each in the order of the paths. */
export function treeOf(files: readonly PresignedFile[]): Folder {
  const root = emptyFolder('', '');
  for (const file of files) {
    let folder = root;
    addTo(folder, file);
    for (const name of file.path.split('/').slice(0, -1)) {
      let inner = folder.folders.find((one) => one.name === name);
      if (!inner) {
        inner = emptyFolder(name, `${folder.path}${name}/`);
        folder.folders.push(inner);
      }
      folder = inner;
      addTo(folder, file);
    }
    folder.files.push(file);
  }
  return root;
}

function emptyFolder(name: string, path: string): Folder {
  return { name, path, folders: [], files: [], count: 0, bytes: 0 };
}

function addTo(folder: Folder, { size }: PresignedFile): void {
  folder.count++;
  folder.bytes += size;
}

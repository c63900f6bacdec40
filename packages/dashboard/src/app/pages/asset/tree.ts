import type { PresignedFile } from '@bindery/contract';
import { imageExtension } from '../../files/readme-links.ts';

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

const TEXT =
  /(\.(xml|urdf|srdf|mjcf|sdf|world|xacro|launch|config|cfg|ini|rviz|gazebo|material|usda|mtlx|json|gltf|ya?ml|md|markdown|rst|txt|csv|tsv|toml|mtl|obj|dae|wrl|py|sh|cmake|html)|\/(LICENSE|NOTICE|README|CHANGELOG|COPYING|AUTHORS|CITATION)[^/]*)$/i;

/** Bytes. Longer text is not meant for reading. */
const MAX_TEXT = 512 * 1024;
const MAX_PICTURE = 32 * 1024 * 1024;

export function isPreviewed({ path, size }: Pick<PresignedFile, 'path' | 'size'>): boolean {
  if (pictureType(path)) return size <= MAX_PICTURE;
  return size <= MAX_TEXT && TEXT.test(`/${path}`);
}

/** The media type of a file that browsers show as a picture. */
export function pictureType(path: string): string | undefined {
  const extension = imageExtension(path)?.toLowerCase();
  return extension && `image/${extension === 'jpg' ? 'jpeg' : extension}`;
}

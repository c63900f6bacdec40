import { type UnzipFileFilter, unzipSync } from 'fflate';
import { Unrenderable } from '../errors.ts';
import { type FileSource, toMessageText } from '../files.ts';

/** The files of a ZIP archive, each unpacked when it is read. @throws Unrenderable when the archive is damaged. */
export function openZip(archive: Uint8Array): FileSource {
  const sizes = new Map<string, number>();
  unzip(archive, ({ name, originalSize }) => {
    if (!name.endsWith('/')) sizes.set(name, originalSize);
    return false;
  });
  return {
    sizes,
    read: async (path) => {
      const bytes = unzip(archive, ({ name }) => name === path)[path];
      if (bytes?.byteLength !== sizes.get(path))
        throw new Unrenderable(`${toMessageText(path)} in the ZIP archive is damaged`);
      return bytes as Uint8Array;
    },
  };
}

function unzip(archive: Uint8Array, filter: UnzipFileFilter): Record<string, Uint8Array> {
  try {
    return unzipSync(archive, { filter });
  } catch (error) {
    throw new Unrenderable('not a ZIP archive, or cut off or damaged', { cause: error });
  }
}

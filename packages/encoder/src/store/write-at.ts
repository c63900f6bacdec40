import type { FileHandle } from 'node:fs/promises';

/** Writes all bytes at a place of a file; a disk that runs full may take some of them before it says so. */
export async function writeAt(file: FileHandle, bytes: Uint8Array, place: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, place + done);
    done += bytesWritten;
  }
}

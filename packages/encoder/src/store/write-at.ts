import type { FileHandle } from 'node:fs/promises';

/** Writes all bytes at a position in a file. A disk that fills up may accept some of them before reporting an error. */
export async function writeAt(file: FileHandle, bytes: Uint8Array, place: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, place + done);
    done += bytesWritten;
  }
}

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of its own, of so many bytes; mounting one needs root. */
export interface SmallDisk extends AsyncDisposable {
  folder: string;
}

export async function mountSmallDisk(bytes: number): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=0700`, 'tmpfs', folder]);
  return {
    folder,
    [Symbol.asyncDispose]: async () => {
      execFileSync('umount', [folder]);
      await rm(folder, { recursive: true });
    },
  };
}

import fs from 'node:fs';
import { release } from 'node:os';
import { basename } from 'node:path';
import { EXT4, XFS } from './file-systems.ts';
import { bytesLost, syncFolder } from './files.ts';
import type { Layout } from './layout.ts';

/** The version of Linux from which on `syncfs` returns the errors of a file system's own data, too. */
const SYNCFS_RETURNS_ALL = { major: 5, minor: 17 };

/**
 * What a file system reports of lost writes elsewhere than in the result of `syncfs`. Together they are all reports,
 * unless files lack blocks: see `hasLostBlocks`, and docs/decisions/0020.
 */
export class LostWriteReports {
  readonly #layout: Layout;
  /** The file in which ext4 counts its errors; null for XFS, which stops at the first. */
  readonly #counter: string | null;
  readonly #errors: string | null;

  /** Resolves to null on systems where reports might be missed. */
  static async open(layout: Layout): Promise<LostWriteReports | null> {
    if (!isLinuxSince(SYNCFS_RETURNS_ALL)) return null;
    const { type } = await fs.promises.statfs(layout.objects);
    if (type === XFS) return new LostWriteReports(layout, null, null);
    if (type !== EXT4) return null;
    try {
      const counter = await errorCounterOf(layout.objects);
      return new LostWriteReports(layout, counter, await fs.promises.readFile(counter, 'utf8'));
    } catch {
      return null;
    }
  }

  private constructor(layout: Layout, counter: string | null, errors: string | null) {
    this.#layout = layout;
    this.#counter = counter;
    this.#errors = errors;
  }

  /** To be called after a successful `syncfs`. Throws if the file system has failed since this was opened. */
  async check(): Promise<void> {
    // Without a journal, ext4 notices that its own data was not written when it changes some of it.
    const now = new Date();
    await fs.promises.utimes(this.#layout.temporary, now, now);
    // `syncfs` succeeds on a file system that became read-only; and the disk might still hold ext4's own data in its cache.
    await syncFolder(this.#layout.objects);
    if (this.#counter === null) return;
    if ((await fs.promises.readFile(this.#counter, 'utf8')) !== this.#errors) throw bytesLost();
  }
}

function isLinuxSince({ major, minor }: { major: number; minor: number }): boolean {
  const [ownMajor = 0, ownMinor = 0] = release().split('.').map(Number);
  return process.platform === 'linux' && (ownMajor > major || (ownMajor === major && ownMinor >= minor));
}

async function errorCounterOf(folder: string): Promise<string> {
  const { dev } = await fs.promises.stat(folder);
  const device = await fs.promises.readlink(`/sys/dev/block/${majorOf(dev)}:${minorOf(dev)}`);
  return `/sys/fs/ext4/${basename(device)}/errors_count`;
}

/** Linux packs 12 and 20 bits: the low 8 of the minor number come first, then the major number, then the rest. */
function majorOf(device: number): number {
  return Math.floor(device / 2 ** 8) & 0xfff;
}

function minorOf(device: number): number {
  return (device & 0xff) | (Math.floor(device / 2 ** 12) & 0xfff00);
}

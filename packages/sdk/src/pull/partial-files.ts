import { hash } from 'node:crypto';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import { isProcessRunning } from '../tree/process-running.ts';
import type { TargetFile } from './select-files.ts';

const PARTIAL = /^\.bindery-([0-9a-f]{8})-([0-9a-f]{64})\.(\d+)\.partial$/;

/** Partial files that pulls of this process are writing. */
const inUse = new Set<string>();

/**
 * Files in progress are stored next to their target, under a name made of the target's path and hash and of the id of
 * the writing process. Those left by dead processes are resumed if they are still wanted, and deleted if not.
 */
export class PartialFiles {
  readonly #folder: GuardedFolder;
  readonly #left = new Map<string, string[]>();
  readonly #mine = new Set<string>();

  constructor(folder: GuardedFolder) {
    this.#folder = folder;
  }

  /** Returns a name to write under, and whether part of the file exists already. */
  claim(file: TargetFile): { name: string; resume: boolean } {
    const name = `.bindery-${tag(file.path)}-${file.sha256}.${process.pid}.partial`;
    const key = this.#key(file, name);
    if (inUse.has(key)) throw new Error(`${file.path} is already being pulled by this process`);
    inUse.add(key);
    this.#mine.add(key);
    return { name, resume: this.#takeOver(file, name) };
  }

  release(file: TargetFile, name: string): void {
    const key = this.#key(file, name);
    inUse.delete(key);
    this.#mine.delete(key);
  }

  releaseAll(): void {
    for (const key of this.#mine) inUse.delete(key);
    this.#mine.clear();
  }

  #key({ path }: TargetFile, name: string): string {
    return `${this.#folder.root}/${folderOf(path)}${name}`;
  }

  /** Takes over a partial file of the same content, and deletes those of other revisions of the path. */
  #takeOver({ path, sha256 }: TargetFile, name: string): boolean {
    const folder = folderOf(path);
    const { mine = [], others = [] } = Object.groupBy(this.#leftBeside(folder), (left) =>
      PARTIAL.exec(left)?.[1] === tag(path) ? 'mine' : 'others',
    );
    this.#left.set(folder, others);
    let taken = false;
    for (const left of mine) {
      const [, , holds, pid] = PARTIAL.exec(left) ?? [];
      if (isAlive(Number(pid))) continue;
      if (!taken && holds === sha256) taken = left === name || this.#folder.renameSibling(path, left, name);
      else this.#folder.removeSibling(path, left);
    }
    return taken;
  }

  #leftBeside(folder: string): string[] {
    const known = this.#left.get(folder);
    if (known !== undefined) return known;
    const names = this.#folder.siblingNames(folder).filter((name) => PARTIAL.test(name));
    this.#left.set(folder, names);
    return names;
  }
}

/** Whether another process is still writing the file. Files of this process are in `inUse`. */
function isAlive(pid: number): boolean {
  return pid !== process.pid && isProcessRunning(pid);
}

function tag(path: string): string {
  return hash('sha256', path).slice(0, 8);
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

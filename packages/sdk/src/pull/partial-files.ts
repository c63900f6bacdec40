import { hash } from 'node:crypto';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import { isRunning } from '../tree/running.ts';
import type { WantedFile } from './wanted.ts';

const PARTIAL = /^\.bindery-([0-9a-f]{8})-([0-9a-f]{64})\.(\d+)\.partial$/;

/** Partial files that pulls of this process write now. */
const inUse = new Set<string>();

/**
 * Files under way lie beside their target, under a name made of the target's path and hash and of the process that
 * writes it. What a dead process left is carried on where it is still wanted, and removed where it is not.
 */
export class PartialFiles {
  readonly #folder: GuardedFolder;
  readonly #left = new Map<string, string[]>();
  readonly #mine = new Set<string>();

  constructor(folder: GuardedFolder) {
    this.#folder = folder;
  }

  /** A name to write under, and whether a part of the file is there already. */
  claim(file: WantedFile): { name: string; resume: boolean } {
    const name = `.bindery-${tag(file.path)}-${file.sha256}.${process.pid}.partial`;
    const key = this.#key(file, name);
    if (inUse.has(key)) throw new Error(`${file.path} is already being pulled by this process`);
    inUse.add(key);
    this.#mine.add(key);
    return { name, resume: this.#takeOver(file, name) };
  }

  release(file: WantedFile, name: string): void {
    const key = this.#key(file, name);
    inUse.delete(key);
    this.#mine.delete(key);
  }

  releaseAll(): void {
    for (const key of this.#mine) inUse.delete(key);
    this.#mine.clear();
  }

  #key({ path }: WantedFile, name: string): string {
    return `${this.#folder.root}/${folderOf(path)}${name}`;
  }

  /** Takes a part of this very file over, and removes those of what its path held in other revisions. */
  #takeOver({ path, sha256 }: WantedFile, name: string): boolean {
    const folder = folderOf(path);
    const { mine = [], others = [] } = Object.groupBy(this.#leftBeside(folder), (left) =>
      PARTIAL.exec(left)?.[1] === tag(path) ? 'mine' : 'others',
    );
    this.#left.set(folder, others);
    let taken = false;
    for (const left of mine) {
      const [, , holds, pid] = PARTIAL.exec(left) ?? [];
      if (isAlive(Number(pid))) continue;
      if (!taken && holds === sha256) taken = left === name || this.#folder.renameBeside(path, left, name);
      else this.#folder.removeBeside(path, left);
    }
    return taken;
  }

  #leftBeside(folder: string): string[] {
    const known = this.#left.get(folder);
    if (known !== undefined) return known;
    const names = this.#folder.namesBeside(folder).filter((name) => PARTIAL.test(name));
    this.#left.set(folder, names);
    return names;
  }
}

/** Whether another process still writes. What this one writes is known before. */
function isAlive(pid: number): boolean {
  return pid !== process.pid && isRunning(pid);
}

function tag(path: string): string {
  return hash('sha256', path).slice(0, 8);
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

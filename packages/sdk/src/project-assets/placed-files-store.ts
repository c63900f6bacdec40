import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeOlderThan, writeFileAtomically } from '../tree/files.ts';

const FORMAT = 'bindery-placed 1';
const KEPT_DAYS = 730;

/** A file below the folder of a project's assets. */
export interface PlacedFile {
  path: string;
  sha256: string;
  size: number;
}

/** What was laid out; stored outside the project. */
export interface PlacedFilesRecord {
  /** What it was laid out for: equal keys mean equal files. Null: a sync is in progress or was interrupted. */
  key: string | null;
  /** Files that syncs put in place, and those that one was about to; a path can then have several contents. */
  files: PlacedFile[];
}

/** Remembers what was laid out in one folder. Without it a sync treats all files there as the user's own. */
export class PlacedFilesStore {
  readonly #file: string;

  constructor(stateFolder: string, root: string) {
    this.#file = join(stateFolder, 'projects', `${hash('sha256', root).slice(0, 32)}.txt`);
  }

  read(): PlacedFilesRecord {
    try {
      const text = readFileSync(this.#file, 'utf8');
      const end = text.indexOf('\n') + 1;
      const body = text.slice(end);
      if (text.slice(0, end) !== headLine(body)) return { key: null, files: [] };
      const [key = '', ...lines] = body.split('\n');
      return { key: key === '' ? null : key, files: lines.filter(Boolean).map(placedFile) };
    } catch {
      return { key: null, files: [] };
    }
  }

  /** Ignores errors: a lost record at worst makes the next sync refuse to replace files unless forced. */
  write({ key, files }: PlacedFilesRecord): void {
    const lines = files.map(({ path, sha256, size }) => `${sha256}\t${size}\t${path}\n`);
    const body = `${key ?? ''}\n${lines.join('')}`;
    try {
      if (!existsSync(this.#file)) removeOlderThan(dirname(this.#file), KEPT_DAYS);
      writeFileAtomically(this.#file, headLine(body) + body);
    } catch {}
  }
}

/** Paths of libraries contain no tabs. */
function placedFile(line: string): PlacedFile {
  const [sha256 = '', size = '', path = ''] = line.split('\t');
  return { path, sha256, size: Number(size) };
}

function headLine(body: string): string {
  return `${FORMAT} ${hash('sha256', body)}\n`;
}

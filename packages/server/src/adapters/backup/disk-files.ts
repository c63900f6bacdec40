import { randomUUID } from 'node:crypto';
import { access, chmod, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolders } from '../../process/data-folder.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER, syncFile, syncFolder } from '../objects/files.ts';
import type { BackupFiles } from './stored-backup.ts';

/** A backup in a local folder. */
export class DiskFiles implements BackupFiles {
  readonly place: string;

  constructor(path: string) {
    this.place = resolve(path);
  }

  async prepare(): Promise<void> {
    await makeFolders(this.place, PRIVATE_FOLDER);
    await chmod(this.place, PRIVATE_FOLDER);
  }

  names(): Promise<string[]> {
    return readdir(this.place);
  }

  draft(name: string): string {
    return join(this.place, name);
  }

  async keep(name: string): Promise<void> {
    await syncFile(this.draft(name));
  }

  async write(name: string, text: string): Promise<void> {
    const arriving = this.draft(`database-${randomUUID()}`);
    await writeFile(arriving, text, { mode: PRIVATE_FILE, flush: true });
    await rename(arriving, this.draft(name));
    await syncFolder(this.place);
  }

  read(name: string): Promise<string> {
    return readFile(this.draft(name), 'utf8');
  }

  async fetch(name: string): Promise<string> {
    await access(this.draft(name));
    return this.draft(name);
  }

  delete(name: string): Promise<void> {
    return rm(this.draft(name), { force: true });
  }
}

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { BackedUp, BackupDescription, BackupFolder, Dump } from '../../backup/ports.ts';
import { unlessMissing } from '../../objects/missing.ts';
import { StartError } from '../../service/start-error.ts';

const FORMAT = 'bindery-backup/1';
const DESCRIPTION = 'backup.json';

const description = z.object({
  format: z.literal(FORMAT),
  createdAt: z.iso.datetime(),
  version: z.string(),
  database: z.object({
    format: z.enum(['sqlite', 'postgresql']),
    file: z.string().regex(/^database-[\w-]+$/),
    sha256: z.string(),
  }),
  libraries: z.int(),
  objects: z.int(),
});

/**
 * A backup as a folder. `backup.json` is written last and names the dump that belongs to it, so that a backup that
 * was cut leaves the one before as it was.
 *
 *     backup.json          what the backup is
 *     database-<random>    the dump of the database
 *     objects/…            as below the service's own folder
 */
export class DiskBackupFolder implements BackupFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  async prepare(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const names = await readdir(this.path);
    const foreign = names.filter((name) => name !== 'objects' && name !== DESCRIPTION && !isDump(name));
    if (foreign.length > 0) {
      throw new StartError(
        `${this.path} holds something else (${foreign[0]}). Choose an empty folder, or one of an earlier backup.`,
      );
    }
    await chmod(this.path, 0o700);
  }

  newDump(): Dump {
    const name = `database-${randomUUID()}`;
    return { name, file: join(this.path, name) };
  }

  deleteDump({ file }: Dump): Promise<void> {
    return rm(file);
  }

  fileOf({ database }: BackupDescription): string {
    return join(this.path, database.file);
  }

  async conclude(dump: Dump, { format, ...counts }: BackedUp): Promise<void> {
    const database = { format, file: dump.name, sha256: await sha256Of(dump.file) };
    const backup: z.output<typeof description> = { format: FORMAT, ...counts, database };
    const arriving = join(this.path, `database-${randomUUID()}`);
    const text = `${JSON.stringify(backup, null, 2)}\n`;
    await writeFile(arriving, text, { mode: 0o600, flush: true });
    await rename(arriving, join(this.path, DESCRIPTION));
    await this.#deleteDumpsBut(dump.name);
  }

  async #deleteDumpsBut(kept: string): Promise<void> {
    for (const name of await readdir(this.path)) {
      if (isDump(name) && name !== kept) await rm(join(this.path, name), { force: true });
    }
  }

  async describe(): Promise<BackupDescription> {
    const text = await unlessMissing(readFile(join(this.path, DESCRIPTION), 'utf8'));
    if (text === null) {
      throw new StartError(`${this.path} holds no whole backup: there is no ${DESCRIPTION}.`);
    }
    const { format: _, ...backup } = parse(text, this.path);
    if ((await unlessMissing(sha256Of(this.fileOf(backup)))) !== backup.database.sha256) {
      throw new StartError(`The database in ${this.path} is missing or damaged.`);
    }
    return backup;
  }
}

function isDump(name: string): boolean {
  return name.startsWith('database-');
}

function parse(text: string, path: string): z.output<typeof description> {
  try {
    return description.parse(JSON.parse(text));
  } catch (error) {
    throw new StartError(`${path} holds no backup that this version can read.`, { cause: error });
  }
}

async function sha256Of(file: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(file)) digest.update(chunk);
  return digest.digest('hex');
}

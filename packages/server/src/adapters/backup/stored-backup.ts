import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, chmod, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { BackupDescription, BackupFolder, BackupRecord, Dump } from '../../backup/ports.ts';
import { StartError } from '../../errors.ts';
import { unlessMissing } from '../../objects/missing.ts';
import { makeFolders } from '../../process/data-folder.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER, syncFile, syncFolder } from '../objects/files.ts';

const FORMAT = 'bindery-backup/1';
const DESCRIPTION = 'backup.json';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

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
  contents: z
    .array(
      z.object({
        address: z.string(),
        storeId: z.string(),
        revisions: z.array(
          z.object({
            manifest: sha256,
            index: sha256,
            codes: sha256.nullable(),
            // Earlier backups have none of these lists.
            artifacts: sha256.nullable().default(null),
          }),
        ),
      }),
    )
    .nullable()
    .default(null),
});

/**
 * A backup. `backup.json` is written last and names the dump that belongs to it, so that an interrupted backup leaves
 * the previous one unchanged.
 *
 *     backup.json          describes the backup and what belongs to it
 *     database-<random>    the dump of the database
 *     objects/…            the same layout as in the service's own folder
 */
export class StoredBackup implements BackupFolder {
  readonly #files: BackupFiles;

  constructor(files: BackupFiles) {
    this.#files = files;
  }

  async prepare(): Promise<void> {
    const { place } = this.#files;
    await this.#files.prepare();
    const names = await this.#files.names();
    const foreign = names.find((name) => name !== 'objects' && name !== DESCRIPTION && !isDump(name));
    if (foreign === undefined) return;
    throw new StartError(
      `${place} holds something else (${foreign}). Choose an empty place, or one with an earlier backup.`,
    );
  }

  newDump(): Dump {
    const name = `database-${randomUUID()}`;
    return { name, file: this.#files.draft(name) };
  }

  deleteDump({ name }: Dump): Promise<void> {
    return this.#files.delete(name);
  }

  async complete(dump: Dump, { format, ...backup }: BackupRecord): Promise<void> {
    const database = { format, file: dump.name, sha256: await sha256Of(dump.file) };
    await this.#files.keep(dump.name);
    const described: z.output<typeof description> = { format: FORMAT, ...backup, database };
    await this.#files.write(DESCRIPTION, `${JSON.stringify(described, null, 2)}\n`);
    for (const name of await this.#files.names()) {
      if (isDump(name) && name !== dump.name) await this.#files.delete(name);
    }
  }

  async describe(): Promise<BackupDescription> {
    const { place } = this.#files;
    const text = await unlessMissing(this.#files.read(DESCRIPTION));
    if (text === null) {
      throw new StartError(`${place} holds no complete backup: ${DESCRIPTION} is missing.`);
    }
    const { format: _, ...backup } = parse(text, place);
    return backup;
  }

  async dumpOf({ database }: BackupDescription): Promise<string> {
    const file = await unlessMissing(this.#files.fetch(database.file));
    if (file !== null && (await sha256Of(file)) === database.sha256) return file;
    throw new StartError(`The database in ${this.#files.place} is missing or damaged.`);
  }
}

function isDump(name: string): boolean {
  return name.startsWith('database-');
}

function parse(text: string, place: string): z.output<typeof description> {
  try {
    return description.parse(JSON.parse(text));
  } catch (error) {
    throw new StartError(`${place} holds no backup that this version can read.`, { cause: error });
  }
}

async function sha256Of(file: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(file)) digest.update(chunk);
  return digest.digest('hex');
}

/** The files of a backup other than its objects, in one place. */
export interface BackupFiles {
  /** The name of the place in messages. */
  readonly place: string;
  /** Creates the place, private to this user, if it can be created. */
  prepare(): Promise<void>;
  /** Names of the files and folders there. */
  names(): Promise<string[]>;
  /** Returns a local path for a file to be written and then kept. */
  draft(name: string): string;
  /** Makes a written file durable in its place. */
  keep(name: string): Promise<void>;
  /** Writes a small file durably, replacing what is there. */
  write(name: string, text: string): Promise<void>;
  /** Throws `ENOENT` if there is none. */
  read(name: string): Promise<string>;
  /** Returns a local path of a file. Throws `ENOENT` if there is none. */
  fetch(name: string): Promise<string>;
  /** Does nothing if there is none. */
  delete(name: string): Promise<void>;
}

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

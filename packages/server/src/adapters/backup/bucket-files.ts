import { hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { PRIVATE_FILE } from '../objects/files.ts';
import type { Bucket } from '../objects/s3/bucket.ts';
import { spool } from '../objects/s3/stream-sender.ts';
import type { BackupFiles } from './stored-backup.ts';

/** A backup below a prefix of a bucket. Dumps are made in, and restored from, a local folder. */
export class BucketFiles implements BackupFiles {
  readonly place: string;
  readonly #bucket: Bucket;
  readonly #prefix: string;
  readonly #folder: string;

  /** `prefix` ends with a slash, or is empty. */
  constructor(bucket: Bucket, prefix: string, { place, folder }: { place: string; folder: string }) {
    this.place = place;
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#folder = folder;
  }

  /** Does nothing: who can read a bucket is configured where it was created. */
  async prepare(): Promise<void> {}

  async names(): Promise<string[]> {
    const names = await Array.fromAsync(this.#bucket.namesBelow(this.#prefix));
    return names.map((name) => name.replace(/\/$/, ''));
  }

  draft(name: string): string {
    return join(this.#folder, name);
  }

  async keep(name: string): Promise<void> {
    await using content = await spool(createReadStream(this.draft(name)), this.#folder);
    await this.#bucket.put(this.#prefix + name, content.size, content.sha256, content.body);
    await rm(this.draft(name));
  }

  async write(name: string, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await this.#bucket.put(this.#prefix + name, bytes.length, hash('sha256', bytes), bytes);
  }

  async read(name: string): Promise<string> {
    return Buffer.concat(await Array.fromAsync(this.#bucket.read(this.#prefix + name))).toString();
  }

  async fetch(name: string): Promise<string> {
    const file = this.draft(name);
    await pipeline(this.#bucket.read(this.#prefix + name), createWriteStream(file, { mode: PRIVATE_FILE }));
    return file;
  }

  async delete(name: string): Promise<void> {
    await rm(this.draft(name), { force: true });
    await this.#bucket.delete([this.#prefix + name]);
  }
}

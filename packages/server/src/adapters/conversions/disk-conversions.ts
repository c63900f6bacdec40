import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type {
  ConversionAddress,
  ConversionCache,
  ConvertedFile,
  WrittenConversion,
} from '../../conversions/conversions.ts';
import { unlessMissing } from '../../objects/missing.ts';
import { EvictingFolder } from '../evicting-folder.ts';

/** How much is read at a time. */
const READ_BYTES = 1024 * 1024;

/** Beside the converted file; no file of a conversion has this name. */
const DESCRIPTION = '.description.json';

type Description = WrittenConversion & Pick<ConvertedFile, 'sha256'>;

/** Caches converted assets in folders `<storeId>/<key>`: the file, and what is to be said about it. */
export class DiskConversions implements ConversionCache {
  readonly #folder: EvictingFolder;

  constructor(folder: string, maxBytes: number) {
    this.#folder = new EvictingFolder(folder, maxBytes);
  }

  async find({ storeId, key }: ConversionAddress): Promise<ConvertedFile | null> {
    return this.#open(this.#folder.pathOf(storeId, key));
  }

  async make(
    { storeId, key }: ConversionAddress,
    write: (into: string) => Promise<WrittenConversion>,
  ): Promise<ConvertedFile> {
    const draft = await this.#folder.createDraft(randomUUID());
    try {
      const written = await write(draft);
      const hash = createHash('sha256');
      await pipeline(createReadStream(join(draft, written.name), { highWaterMark: READ_BYTES }), hash);
      const described: Description = { ...written, sha256: hash.digest('hex') };
      await writeFile(join(draft, DESCRIPTION), JSON.stringify(described));
      const place = this.#folder.pathOf(storeId, key);
      await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      // A conversion of which only a part was evicted.
      await rm(place, { recursive: true, force: true });
      await rename(draft, place);
      const found = await this.#open(place);
      if (found === null) throw new Error('a conversion was deleted as soon as it was made');
      await this.#folder.noteWritten(found.bytes);
      return found;
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }

  async deleteStore(storeId: string): Promise<void> {
    await this.#folder.deleteStore(storeId);
  }

  async #open(place: string): Promise<ConvertedFile | null> {
    const description = join(place, DESCRIPTION);
    const text = await unlessMissing(readFile(description, 'utf8'));
    if (text === null) return null;
    const { name, losses, sha256 } = JSON.parse(text) as Description;
    const file = join(place, name);
    const stats = await unlessMissing(stat(file));
    if (stats === null) return null;
    await this.#folder.noteUse(file);
    await this.#folder.noteUse(description);
    return {
      name,
      losses,
      sha256,
      bytes: stats.size,
      open: () => createReadStream(file, { highWaterMark: READ_BYTES }),
    };
  }
}

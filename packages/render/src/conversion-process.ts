import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  killOnMemoryLimitOrOrphaned,
  serveProcessTasks,
  type TaskContext,
} from '@bindery/concurrency/process';
import { UnreadableFileError } from '@bindery/formats';
import { convertAsset, packConversion } from './convert-asset.ts';
import { Unrenderable } from './errors.ts';
import type { FileSource } from './files.ts';
import { type MadeProp, makeProp, type PropToMake } from './make-prop.ts';
import type { AssetToConvert, ConvertedAsset } from './process-pools.ts';

killOnMemoryLimitOrOrphaned(Number(process.env.BINDERY_RENDER_MEMORY));
serveProcessTasks<undefined, AssetToConvert | PropToMake>(
  () => (asked, context) => ('as' in asked ? convert(asked, context) : prop(asked)),
);

async function convert(
  { kind, format, entry, as, sizes, hashes, into, isPacked }: AssetToConvert,
  { ask }: TaskContext,
): Promise<ConvertedAsset> {
  const files: FileSource = {
    sizes,
    async read(path) {
      const bytes = await ask(path)
        .then((file) => readFile(String(file)))
        .catch((cause: unknown) => {
          throw new UnreadFile(`${path} cannot be read`, { cause });
        });
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      if (sha256 !== hashes.get(path)) throw new UnreadFile(`${path} is damaged`);
      return new Uint8Array(bytes);
    },
  };
  try {
    const converted = await convertAsset({ kind, format, entry, files }, as);
    const result = isPacked ? packConversion(converted) : converted;
    for (const [path, bytes] of result.files) {
      await mkdir(dirname(join(into, path)), { recursive: true });
      await writeFile(join(into, path), bytes, { flag: 'wx' });
    }
    const { losses, proof } = result;
    return { entry: result.entry, files: [...result.files.keys()], losses, proof };
  } catch (error) {
    if (error instanceof UnreadFile) return { refused: error.message, isTransient: true };
    if (error instanceof Unrenderable || error instanceof UnreadableFileError)
      return { refused: error.message, isTransient: false };
    throw error;
  }
}

async function prop(asked: PropToMake): Promise<MadeProp | { readonly refused: string }> {
  try {
    return await makeProp(asked);
  } catch (error) {
    if (error instanceof Unrenderable || error instanceof UnreadableFileError)
      return { refused: error.message };
    throw error;
  }
}

/** Nothing is wrong with the model itself. */
class UnreadFile extends Error {}

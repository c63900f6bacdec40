import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PRIVATE_FILE } from '../files.ts';
import type { Body } from './bucket.ts';

/** Content of up to this many bytes stays in memory. */
const MAX_IN_MEMORY = 8 * 1024 * 1024;

/** Content that was received completely; disposing it deletes it. */
export interface Spooled extends AsyncDisposable {
  sha256: string;
  size: number;
  body: Body;
}

/** Buffers content whose hash and size have to be known before it is sent to a bucket. */
export async function spool(content: AsyncIterable<Buffer>, folder: string): Promise<Spooled> {
  const digest = createHash('sha256');
  const path = join(folder, randomUUID());
  let size = 0;
  let chunks: Buffer[] = [];
  let file: FileHandle | null = null;
  const dispose = async () => {
    await file?.close();
    if (file !== null) await rm(path, { force: true });
  };
  try {
    for await (const chunk of content) {
      digest.update(chunk);
      size += chunk.length;
      chunks.push(chunk);
      if (size <= MAX_IN_MEMORY) continue;
      file ??= await open(path, 'wx', PRIVATE_FILE);
      for (const waiting of chunks.splice(0)) await file.writeFile(waiting);
    }
  } catch (error) {
    await dispose();
    throw error;
  }
  const whole = Buffer.concat(chunks);
  chunks = [];
  return {
    sha256: digest.digest('hex'),
    size,
    body: file === null ? whole : (range) => createReadStream(path, range),
    [Symbol.asyncDispose]: dispose,
  };
}

import { copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DESCRIPTION_FILE,
  type ModelDescription,
  type ModelFile,
  modelDescription,
  readDescription,
} from '../description.ts';
import { EncoderError } from '../errors.ts';
import { folderOfModel, modelId } from '../models.ts';
import { asDiskError, hashOf, incomingOf, lock, requireRoom } from './model-folder.ts';
import { type ModelSource, SourceInterrupted } from './source.ts';

export interface PullOptions {
  /** Where models are stored: see `modelFolder`. */
  folder: string;
  /** A short name, or `<library>/<model>/<pretrained>`. */
  model: string;
  source: ModelSource;
  /** Called once with the size of the model in bytes. */
  onSize?: (bytes: number) => void;
  /** Called with the number of bytes that are newly in place, verified or not. */
  onBytes?: (bytes: number) => void;
  /** Called with a sentence that says what the pull is waiting for. */
  onWait?: (why: string) => void;
  signal?: AbortSignal | undefined;
  /** Milliseconds before the first retry; doubled for each further one. */
  pause?: number;
}

export interface PulledModel {
  id: string;
  folder: string;
  /** Size of all files of the model. */
  bytes: number;
  /** How many of those bytes came from the source. */
  fetched: number;
  files: ModelFile[];
  /** The model hub repository and the commit that it came from; null for any other source. */
  source: NonNullable<ModelDescription['source']> | null;
}

/** Consecutive attempts without a single new byte before giving up. */
const ATTEMPTS = 5;

/** Longest wait that a server may ask for, in milliseconds; rate limit windows of model hubs last five minutes. */
const MAX_WAIT = 300_000;

/**
 * Installs a model in the model folder. Files are fetched into a separate folder, verified against size and SHA-256,
 * and moved into place together; until then the previously installed model stays. An interrupted pull keeps what it
 * has fetched, and the next one resumes there. A second pull of the same model waits for the first. Throws
 * `EncoderError`: `missing`, `refused`, `damaged` for bytes that do not match the description, `failed`.
 */
export async function pullModel(options: PullOptions): Promise<PulledModel> {
  const { folder, source, onSize, onWait, signal } = options;
  const id = modelId(options.model);
  const found = await withRetries(
    options,
    () => source.describe(id),
    () => 0,
  );
  if (found.id !== id) throw new EncoderError('damaged', `That is the model ${found.id}, not ${id}.`);
  const description = modelDescription.parse(found);
  const bytes = description.files.reduce((sum, { size }) => sum + size, 0);
  onSize?.(bytes);
  const incoming = incomingOf(folder, id);
  try {
    await mkdir(incoming.root, { recursive: true });
    const release = await lock(incoming.lock, {
      waiting: () => onWait?.(`Another pull of ${id} is in progress. Waiting for it.`),
      signal,
    });
    try {
      const fetched = await install(description, options);
      const { files, source: origin = null } = description;
      return { id, folder: folderOfModel(folder, id), bytes, fetched, files, source: origin };
    } finally {
      release();
    }
  } catch (error) {
    throw asDiskError(error, folder);
  }
}

/** Returns how many bytes came from the source. */
async function install(description: ModelDescription, options: PullOptions): Promise<number> {
  const { folder, onBytes = () => {} } = options;
  if (await isInstalled(folder, description)) return 0;
  const own = folderOfModel(folder, description.id);
  const incoming = incomingOf(folder, description.id);
  await mkdir(incoming.files, { recursive: true });
  await requireRoom(incoming.files, description.files);
  let fetched = 0;
  for (const file of description.files) {
    const target = join(incoming.files, file.name);
    if ((await isWhole(target, file)) || (await copyFromInstalled(join(own, file.name), target, file)))
      onBytes(file.size);
    else fetched += await fetchFile(target, file, options);
  }
  await writeDurably(join(incoming.files, DESCRIPTION_FILE), `${JSON.stringify(description, null, 2)}\n`);
  await replaceFolder(own, incoming);
  return fetched;
}

async function isInstalled(folder: string, description: ModelDescription): Promise<boolean> {
  const there = await readDescription(folder, description.id).catch(() => null);
  if (JSON.stringify(there) !== JSON.stringify(description)) return false;
  const own = folderOfModel(folder, description.id);
  for (const file of description.files) if (!(await isWhole(join(own, file.name), file))) return false;
  return true;
}

async function isWhole(path: string, { size, sha256 }: ModelFile): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.size === size && (await hashOf(path)) === sha256;
}

/** Copies a file from the installed model if it is the same there, and returns whether it did. */
async function copyFromInstalled(from: string, target: string, file: ModelFile): Promise<boolean> {
  if (!(await isWhole(from, file))) return false;
  await copyFile(from, target);
  return isWhole(target, file);
}

/** Returns how many bytes came from the source. */
async function fetchFile(target: string, file: ModelFile, options: PullOptions): Promise<number> {
  const part = `${target}.part`;
  const kept = await partSize(part, file);
  options.onBytes?.(kept);
  let received = await fetchPart(part, file, options);
  // A partial file from an earlier pull may have been of other contents: then fetch it from scratch, once.
  if (kept > 0 && !(await isWhole(part, file))) {
    await rm(part);
    received += await fetchPart(part, file, options);
  }
  if (!(await isWhole(part, file))) {
    await rm(part);
    throw new EncoderError('damaged', `${file.name} does not match the SHA-256 in its description.`);
  }
  await rename(part, target);
  return received;
}

async function partSize(part: string, { size }: ModelFile): Promise<number> {
  const found = await stat(part).catch(() => null);
  if (found === null) return 0;
  if (found.size <= size) return found.size;
  await rm(part);
  return 0;
}

async function fetchPart(part: string, file: ModelFile, options: PullOptions): Promise<number> {
  const handle = await open(part, 'a+').then(async (created) => {
    await created.close();
    return open(part, 'r+');
  });
  let received = 0;
  const count = (bytes: number) => {
    received += bytes;
    options.onBytes?.(bytes);
  };
  try {
    await withRetries(
      options,
      async () => {
        const { size: offset } = await handle.stat();
        if (offset < file.size) await options.source.copy(file, handle, offset, count);
      },
      () => received,
    );
    await handle.sync();
  } finally {
    await handle.close();
  }
  return received;
}

/** Retries an interrupted attempt; the count of failures restarts whenever bytes have arrived. */
async function withRetries<Result>(
  { signal, onWait, pause = 500 }: PullOptions,
  attempt: () => Promise<Result>,
  received: () => number,
): Promise<Result> {
  for (let failures = 0, before = received(); ; ) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof SourceInterrupted)) throw error;
      failures = received() > before ? 1 : failures + 1;
      before = received();
      const { message, after } = error;
      const asks = after === null ? message : `${message} It asks to wait ${Math.ceil(after / 1_000)} s.`;
      if (failures >= ATTEMPTS || (after ?? 0) > MAX_WAIT) {
        throw new EncoderError('failed', asks, { cause: error });
      }
      if (after !== null) onWait?.(asks);
      await sleep(after ?? pause * 2 ** (failures - 1), undefined, { signal });
    }
  }
}

async function replaceFolder(own: string, { files, old }: ReturnType<typeof incomingOf>): Promise<void> {
  await rm(old, { recursive: true, force: true });
  await mkdir(dirname(own), { recursive: true });
  await rename(own, old).catch(unlessAbsent);
  await rename(files, own);
  await rm(old, { recursive: true, force: true });
}

async function writeDurably(path: string, text: string): Promise<void> {
  const handle = await open(path, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function unlessAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { DESCRIPTION_FILE, LARGEST_DESCRIPTION, type ModelFile, parseDescription } from '../description.ts';
import { EncoderError } from '../errors.ts';
import { type ModelSource, SourceInterrupted } from './source.ts';

/** The head of an HTTP answer, with lower-case header names, and its body. */
export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Readable;
}

/** Sends a GET without following redirects. Rejects with the system's own error. */
export type HttpGet = (url: string, headers: Record<string, string>) => Promise<HttpAnswer>;

const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The files of a model below an address: `<base>/model.json` and what it lists. */
export function urlSource(base: string, get: HttpGet): ModelSource {
  let files = base;
  return {
    async describe() {
      const url = below(base, DESCRIPTION_FILE);
      const description = parseDescription(await readAll(await follow(get, url, {}), url), url);
      files = description.url ?? base;
      return description;
    },
    async copy(file, part, offset, arrived) {
      const url = below(files, file.name);
      const range: Record<string, string> = offset > 0 ? { range: `bytes=${offset}-` } : {};
      const answer = await follow(get, url, range);
      const start = await startOf(answer, url, part, offset);
      await append(answer.body, url, part, file, start, arrived);
    },
  };
}

/** The answer after redirects; every failure to get one is worth another try, except those that the server means. */
async function follow(get: HttpGet, first: string, range: Record<string, string>): Promise<HttpAnswer> {
  let url = first;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const answer = await get(url, { ...range, 'accept-encoding': 'identity' }).catch((cause: Error) => {
      throw new SourceInterrupted(`${first} cannot be reached: ${cause.message}`, { cause });
    });
    const { location } = answer.headers;
    if (!REDIRECTS.has(answer.status) || location === undefined) return answer;
    drop(answer.body);
    url = new URL(location, url).href;
  }
  throw new EncoderError('failed', `${first} redirects more than ${MOST_REDIRECTS} times.`);
}

/** Where in the file the body begins. */
async function startOf(answer: HttpAnswer, url: string, part: FileHandle, offset: number): Promise<number> {
  const { status, headers } = answer;
  if (status === 206 && headers['content-range']?.startsWith(`bytes ${offset}-`)) return offset;
  if (status === 200) {
    await part.truncate(0);
    return 0;
  }
  drop(answer.body);
  if (status === 206 || status === 416) {
    await part.truncate(0);
    throw new SourceInterrupted(`${url} does not go on at byte ${offset}.`);
  }
  throw answers(url, status);
}

async function append(
  body: Readable,
  url: string,
  part: FileHandle,
  { name, size }: ModelFile,
  start: number,
  arrived: (bytes: number) => void,
): Promise<void> {
  let at = start;
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const next: IteratorResult<Buffer> = await chunks.next().catch((cause: Error) => {
      throw new SourceInterrupted(`${url} broke off after ${at} bytes: ${cause.message}`, { cause });
    });
    if (next.done) break;
    if (at + next.value.length > size) {
      drop(body);
      throw new EncoderError('damaged', `${url} has more than the ${size} bytes that ${name} should have.`);
    }
    await part.write(next.value, 0, next.value.length, at);
    at += next.value.length;
    arrived(next.value.length);
  }
  if (at < size) throw new SourceInterrupted(`${url} broke off after ${at} of ${size} bytes.`);
}

async function readAll({ status, body }: HttpAnswer, url: string): Promise<Buffer> {
  if (status !== 200) {
    drop(body);
    throw answers(url, status);
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > LARGEST_DESCRIPTION)
      throw new EncoderError('damaged', `${url} is too large for a description.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Ends an answer that nobody reads on; what its stream says to that is of no interest. */
function drop(body: Readable): void {
  body.on('error', () => {});
  body.destroy();
}

function answers(url: string, status: number): Error {
  const message = `${url} answers ${status}.`;
  if (status >= 500 || status === 429 || status === 408) return new SourceInterrupted(message);
  return new EncoderError(status === 404 ? 'missing' : 'failed', message);
}

function below(base: string, name: string): string {
  return new URL(name, base.endsWith('/') ? base : `${base}/`).href;
}

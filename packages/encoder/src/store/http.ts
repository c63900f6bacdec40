import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { DESCRIPTION_FILE, MAX_DESCRIPTION, type ModelFile, parseDescription } from '../description.ts';
import { EncoderError } from '../errors.ts';
import { type ModelSource, SourceInterrupted, writeAt } from './source.ts';

/** Status, headers (with lower-case names) and body of an HTTP response. */
export interface HttpResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Readable;
}

/** Sends a GET without following redirects. Rejects with the underlying system error. */
export type HttpGet = (url: string, headers: Record<string, string>) => Promise<HttpResponse>;

/** Explains an unsuccessful response to the user; null if its status is explanation enough. */
export type Explain = (answer: Pick<HttpResponse, 'status' | 'headers'>) => EncoderError | null;

/** Fetches URLs and follows redirects. Throws `EncoderError`, or `SourceInterrupted` for temporary failures. */
export class HttpSource {
  readonly #get: HttpGet;
  readonly #explain: Explain;

  constructor(get: HttpGet, explain: Explain = () => null) {
    this.#get = get;
    this.#explain = explain;
  }

  /** Reads the whole body at a URL, of at most `most` bytes. */
  async read(url: string, most: number): Promise<{ bytes: Buffer; headers: HttpResponse['headers'] }> {
    const answer = await this.#follow(url, {});
    if (answer.status !== 200) {
      discardBody(answer.body);
      throw this.#refusal(answer, url);
    }
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of chunksOf(answer.body, url)) {
      length += chunk.length;
      if (length > most) throw new EncoderError('damaged', `${url} has more than ${most} bytes.`);
      chunks.push(chunk);
    }
    return { bytes: Buffer.concat(chunks), headers: answer.headers };
  }

  /** Appends the body at a URL to `part`, as `ModelSource.copy` does. */
  async copy(
    url: string,
    file: ModelFile,
    part: FileHandle,
    offset: number,
    arrived: (bytes: number) => void,
  ): Promise<void> {
    const range: Record<string, string> = offset > 0 ? { range: `bytes=${offset}-` } : {};
    const answer = await this.#follow(url, range);
    const start = await this.#startOf(answer, url, part, offset);
    await append(answer.body, url, part, file, start, arrived);
  }

  async #follow(first: string, range: Record<string, string>): Promise<HttpResponse> {
    let url = first;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const answer = await this.#get(url, { ...range, 'accept-encoding': 'identity' }).catch(
        (cause: Error) => {
          throw new SourceInterrupted(`${new URL(url).origin} cannot be reached: ${cause.message}`, {
            cause,
          });
        },
      );
      const { location } = answer.headers;
      if (!REDIRECTS.has(answer.status) || location === undefined) return answer;
      discardBody(answer.body);
      const next = new URL(location, url);
      if (url.startsWith('https:') && next.protocol !== 'https:') {
        throw new EncoderError('failed', `${first} redirects from https to ${next.protocol}//${next.host}.`);
      }
      url = next.href;
    }
    throw new EncoderError('failed', `${first} redirects more than ${MAX_REDIRECTS} times.`);
  }

  /** Returns the offset in the file at which the body begins; empties `part` if the server does not resume. */
  async #startOf(answer: HttpResponse, url: string, part: FileHandle, offset: number): Promise<number> {
    const { status, headers } = answer;
    if (status === 206 && headers['content-range']?.startsWith(`bytes ${offset}-`)) return offset;
    if (status === 200) {
      if (offset > 0) await part.truncate(0);
      return 0;
    }
    discardBody(answer.body);
    if (status === 206 || status === 416) {
      await part.truncate(0);
      throw new SourceInterrupted(`${url} does not resume at byte ${offset}.`);
    }
    throw this.#refusal(answer, url);
  }

  #refusal(answer: HttpResponse, url: string): Error {
    const { status, headers } = answer;
    const message = `${url} responds with status ${status}.`;
    if (status >= 500 || status === 429 || status === 408) {
      return new SourceInterrupted(message, { after: retryAfterMs(headers) });
    }
    return this.#explain(answer) ?? new EncoderError(FAILURES[status] ?? 'failed', message);
  }
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const FAILURES: Readonly<Record<number, 'refused' | 'missing'>> = {
  401: 'refused',
  403: 'refused',
  404: 'missing',
  410: 'missing',
};

/**
 * The milliseconds that a response asks to wait: `Retry-After` in seconds or as a date (RFC 9110), else the seconds
 * until an exhausted quota resets (`RateLimit: "api";r=0;t=55`, draft-ietf-httpapi-ratelimit-headers).
 */
function retryAfterMs(headers: HttpResponse['headers']): number | null {
  const after = headers['retry-after'];
  if (after !== undefined) {
    const wait = /^\d+$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - Date.now();
    return Number.isFinite(wait) ? Math.max(0, wait) : null;
  }
  const seconds = headers.ratelimit?.match(/;\s*r\s*=\s*0\s*;\s*t\s*=\s*(\d+)/)?.[1];
  return seconds === undefined ? null : Number(seconds) * 1_000;
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
  for await (const chunk of chunksOf(body, url)) {
    if (at + chunk.length > size) {
      throw new EncoderError('damaged', `${url} has more than the ${size} bytes that ${name} should have.`);
    }
    await writeAt(part, chunk, at);
    at += chunk.length;
    arrived(chunk.length);
  }
  if (at < size) throw new SourceInterrupted(`${url} broke off after ${at} of ${size} bytes.`);
}

/** Yields the body in chunks, and closes it when the consumer stops reading. */
async function* chunksOf(body: Readable, url: string): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next: IteratorResult<Buffer> = await chunks.next().catch((cause: Error) => {
        throw new SourceInterrupted(`${url} broke off: ${cause.message}`, { cause });
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    discardBody(body);
  }
}

/** Closes a response body that is not read any further, and ignores errors of its stream. */
function discardBody(body: Readable): void {
  body.on('error', () => {});
  body.destroy();
}

/** Resolves a path below a base URL. */
export function resolveUrl(base: string, path: string): string {
  return new URL(path, base.endsWith('/') ? base : `${base}/`).href;
}

/** Reads the files of a model below a URL: `<base>/model.json` and what it lists. */
export function urlSource(base: string, get: HttpGet): ModelSource {
  const http = new HttpSource(get);
  let files = base;
  return {
    async describe() {
      const url = resolveUrl(base, DESCRIPTION_FILE);
      const { bytes } = await http.read(url, MAX_DESCRIPTION);
      const description = parseDescription(bytes, url);
      files = description.url ?? base;
      return description;
    },
    copy: (file, part, offset, arrived) =>
      http.copy(resolveUrl(files, file.name), file, part, offset, arrived),
  };
}

import { forEachBounded } from '@bindery/concurrency';
import type { Transfer } from '@bindery/contract';
import { request } from 'undici';
import { createUser } from '../accounts/accounts.ts';
import { createToken } from '../accounts/personal-access-tokens.ts';
import { readConfiguration } from '../configuration/configuration.ts';
import type { DatabaseContext } from '../context.ts';
import { administer } from '../operations/operations.ts';
import { OWNER } from './seed.ts';

/** Creates an account as an operator does, and its token. */
export function createMember(dataDir: string, userName = OWNER): Promise<string> {
  const create = async (context: DatabaseContext) => {
    const person = { userName, email: `${userName}@example.org`, password: 'correct horse battery' };
    await createUser(context, person);
    return (await createToken(context, userName)).token;
  };
  return administer(readConfiguration({ BINDERY_DATA_DIR: dataDir }), create, { create: true });
}

/** Somebody with a token who sends requests, with a client that uses little of the CPU time that it shares. */
export class Client {
  readonly url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.#token = token;
  }

  /** Returns the whole response. Throws if it is an error. */
  async send(method: string, path: string, body?: object): Promise<Buffer> {
    const { statusCode, body: answer } = await request(new URL(path, this.url), {
      method: method as 'GET',
      headers: {
        authorization: `Bearer ${this.#token}`,
        'content-type': 'application/json',
        'accept-encoding': 'identity',
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (statusCode < 300) return bytes;
    throw new Error(`${method} ${path.slice(0, 100)} answered ${statusCode}: ${bytes.subarray(0, 300)}`);
  }

  async upload(library: string, files: readonly { path: string; content: Uint8Array }[]): Promise<void> {
    const sizes = files.map(({ path, content }) => ({ relativePath: path, size: content.length }));
    const answer = await this.send('POST', `${pathOf(library)}/upload-authorizations`, { files: sizes });
    const { files: granted } = JSON.parse(answer.toString()) as { files: { transfer: Transfer }[] };
    // Fewer at the same time than the service allows from one address.
    await forEachBounded(granted.entries(), { concurrency: 64 }, async ([at, { transfer }]) => {
      const { content } = files[at] as { content: Uint8Array };
      if (transfer.kind === 'single-put') await put(transfer.put, content);
      if (transfer.kind !== 's3-multipart') return;
      const parts: { partNumber: number; etag: string }[] = [];
      for (const part of transfer.parts) {
        const { partNumber, size } = part;
        const start = (partNumber - 1) * transfer.partSize;
        parts.push({ partNumber, etag: await put(part, content.subarray(start, start + size)) });
      }
      await this.send('POST', transfer.complete.url, { parts });
    });
  }

  async register(library: string, body: object): Promise<void> {
    await this.send('POST', `${pathOf(library)}/register`, body);
  }
}

/** Uploads to a presigned URL; returns the entity tag. */
async function put(
  { url, headers = {} }: { url: string; headers?: Record<string, string> },
  content: Uint8Array,
): Promise<string> {
  const {
    statusCode,
    headers: answered,
    body,
  } = await request(url, { method: 'PUT', headers, body: content });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`An upload answered ${statusCode}: ${text.slice(0, 300)}`);
  return String(answered.etag ?? '');
}

/** The path of a library of the owner. */
export const pathOf = (library: string) => `/namespaces/${OWNER}/libraries/${library}`;

import { forEachBounded } from '@bindery/concurrency';
import type { Transfer } from '@bindery/contract';
import { request } from 'undici';
import { createUser } from '../accounts/accounts.ts';
import { createToken } from '../accounts/personal-access-tokens.ts';
import { readConfiguration } from '../configuration/configuration.ts';
import type { DatabaseContext } from '../context.ts';
import type { Database } from '../database/schema.ts';
import { administer, migrateSchema } from '../operations/operations.ts';
import { OWNER } from './seed.ts';

/** Creates an account as an operator does, and its token; `fill` may then add rows to the database. */
export async function createMember(
  dataDir: string,
  userName = OWNER,
  settings: NodeJS.ProcessEnv = {},
  fill?: (db: Database, accountId: string) => Promise<void>,
): Promise<string> {
  const configuration = readConfiguration({ ...settings, BINDERY_DATA_DIR: dataDir });
  // Only the embedded database is migrated by what opens it.
  if (configuration.databaseUrl !== null) await migrateSchema(configuration, { dryRun: false });
  const create = async (context: DatabaseContext) => {
    const person = { userName, email: `${userName}@example.org`, password: 'correct horse battery' };
    const { accountId } = await createUser(context, person);
    await fill?.(context.db, accountId);
    return (await createToken(context, userName)).token;
  };
  return administer(configuration, create, { create: true });
}

/** Somebody with a token who sends requests, with a client that uses little of the CPU time that it shares. */
export class Client {
  readonly url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.#token = token;
  }

  /** Returns the whole response. Throws if it is an error, unless any response is accepted. */
  async send(
    method: string,
    path: string,
    { body, headers, any = false }: { body?: Uint8Array | object; headers?: object; any?: boolean } = {},
  ): Promise<Buffer> {
    const { statusCode, body: answer } = await request(new URL(path, this.url), {
      method: method as 'GET',
      headers: {
        authorization: `Bearer ${this.#token}`,
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        ...headers,
      },
      ...(body && { body: body instanceof Uint8Array ? body : JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (any || statusCode < 300) return bytes;
    throw new Error(`${method} ${path.slice(0, 100)} answered ${statusCode}: ${bytes.subarray(0, 300)}`);
  }

  async authorize(library: string, files: readonly { path: string; size: number }[]): Promise<Transfer[]> {
    const body = { files: files.map(({ path, size }) => ({ relativePath: path, size })) };
    const answer = await this.send('POST', `${pathOf(library)}/upload-authorizations`, { body });
    const { files: granted } = JSON.parse(answer.toString()) as { files: { transfer: Transfer }[] };
    return granted.map(({ transfer }) => transfer);
  }

  async upload(library: string, files: readonly { path: string; content: Uint8Array }[]): Promise<void> {
    const sizes = files.map(({ path, content }) => ({ path, size: content.length }));
    const transfers = await this.authorize(library, sizes);
    // Fewer at the same time than the service allows from one address.
    await forEachBounded(transfers.entries(), { concurrency: 64 }, async ([at, transfer]) => {
      const { content } = files[at] as { content: Uint8Array };
      if (transfer.kind === 'single-put') await put(transfer.put, content);
      if (transfer.kind !== 's3-multipart') return;
      const parts: { partNumber: number; etag: string }[] = [];
      for (const part of transfer.parts) {
        const { partNumber, size } = part;
        const start = (partNumber - 1) * transfer.partSize;
        parts.push({ partNumber, etag: await put(part, content.subarray(start, start + size)) });
      }
      await this.send('POST', transfer.complete.url, { body: { parts } });
    });
  }

  async register(library: string, body: object): Promise<void> {
    await this.send('POST', `${pathOf(library)}/register`, { body });
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

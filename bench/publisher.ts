import { forEachBounded } from '@bindery/concurrency';
import type { Transfer } from '@bindery/contract';

/** Transfers at the same time: fewer than the service allows from one address. */
const CONCURRENCY = 64;

/** Publishes to one library over HTTP, step by step. Throws if a response is an error. */
export class Publisher {
  readonly #url: string;
  readonly #token: string;
  readonly #library: string;

  /** @param library its path, starting with `/namespaces` */
  constructor(url: string, token: string, library: string) {
    this.#url = url;
    this.#token = token;
    this.#library = library;
  }

  send(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(this.#url + path, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async upload(files: { path: string; content: Uint8Array }[]): Promise<void> {
    const asked = { files: files.map(({ path, content }) => ({ relativePath: path, size: content.length })) };
    const answer = await this.#post(`${this.#library}/upload-authorizations`, asked);
    const { files: granted } = (await answer.json()) as { files: { transfer: Transfer }[] };
    await forEachBounded(granted.entries(), { concurrency: CONCURRENCY }, ([at, { transfer }]) =>
      this.#put(transfer, files[at]?.content as Uint8Array),
    );
  }

  async register(body: object): Promise<void> {
    const answer = await this.#post(`${this.#library}/register`, body);
    await answer.arrayBuffer();
  }

  async #put(transfer: Transfer, content: Uint8Array): Promise<void> {
    if (transfer.kind === 'present') return;
    if (transfer.kind === 'single-put') {
      await putBytes(transfer.put, content);
      return;
    }
    const parts: { partNumber: number; etag: string }[] = [];
    for (const part of transfer.parts) {
      const { partNumber, size } = part;
      const start = (partNumber - 1) * transfer.partSize;
      parts.push({ partNumber, etag: await putBytes(part, content.subarray(start, start + size)) });
    }
    await this.#post(new URL(transfer.complete.url).pathname, { parts });
  }

  async #post(path: string, body: object): Promise<Response> {
    const answer = await this.send('POST', path, body);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  }
}

async function putBytes(
  { url, headers }: { url: string; headers?: Record<string, string> },
  bytes: Uint8Array,
): Promise<string> {
  const answer = await fetch(url, {
    method: 'PUT',
    body: new Uint8Array(bytes),
    ...(headers && { headers }),
  });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`an upload answered ${answer.status}`);
  return answer.headers.get('etag') ?? '';
}

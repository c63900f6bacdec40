import { lookup } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { z } from 'zod';
import { openTransport } from '../client/open-transport.ts';
import type { Transport, TransportResponse } from '../client/transport.ts';
import { ImportError } from '../failures.ts';

const MAX_REDIRECTS = 5;
const ATTEMPTS = 4;

/** Bytes of a list or description that a source sends. */
const MAX_DOCUMENT = 32 * 2 ** 20;

/** Networks that a host on the internet cannot be in: an answer that leads there is an attack. */
const INTERNAL = networks([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.168.0.0/16', '::/127', 'fc00::/7', 'fe80::/10'],
]);

interface UpstreamRequest {
  method?: 'GET' | 'HEAD';
  headers?: Record<string, string>;
  /** Sent with POST. */
  body?: string | undefined;
  /** The address of who named this one; without it, somebody typed it. */
  namedBy?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Where sources may be, for whoever fetches on behalf of others. */
export interface Reach {
  /** Throws `ImportError` for an address that nobody may be sent to. */
  require(url: URL): void;
  /** Finds only those addresses of a name that may be connected to. */
  lookup: LookupFunction;
}

/** HTTP to hosts that nobody vouches for. Credentials are sent to their own host alone. */
export class UpstreamRequests {
  readonly reach: Reach | undefined;
  readonly #transport: Transport;

  readonly #maxDocument: number;

  /** Goes everywhere without a `reach`. `maxDocument` is the bytes of a document that is read as a whole. */
  constructor({
    reach,
    maxDocument = MAX_DOCUMENT,
  }: { reach?: Reach | undefined; maxDocument?: number } = {}) {
    this.reach = reach;
    this.#maxDocument = maxDocument;
    this.#transport = openTransport({ lookup: reach?.lookup });
  }

  /** Goes to what others name, as by redirects, but never from the internet into a network of this machine. Throws `ImportError`. */
  async get(
    address: string,
    { method, headers = {}, body, namedBy, signal }: UpstreamRequest = {},
  ): Promise<TransportResponse> {
    let url = new URL(address);
    const { host } = url;
    if (namedBy !== undefined) await refuseInward(url, new URL(namedBy));
    for (let redirects = 0; ; redirects++) {
      this.reach?.require(url);
      const { range, 'if-range': ifRange } = headers;
      const harmless = { ...(range && { range }), ...(ifRange && { 'if-range': ifRange }) };
      const sent: Record<string, string> = url.host === host ? headers : harmless;
      const response = await this.#retried(url, { ...(method && { method }), headers: sent, body, signal });
      const { location } = response.headers;
      if (![301, 302, 303, 307, 308].includes(response.status) || location === undefined) return response;
      await response.body.dump();
      const next = new URL(location, url);
      if (redirects === MAX_REDIRECTS || !/^https?:$/.test(next.protocol))
        throw new ImportError(
          'source_refused',
          `${url.host} redirects too often, or to something that is not HTTP.`,
        );
      await refuseInward(next, url);
      url = next;
    }
  }

  /** Reads a document of limited length. Throws `ImportError` if there is none. */
  async text(
    address: string,
    options: UpstreamRequest = {},
    most = this.#maxDocument,
  ): Promise<{ text: string; headers: TransportResponse['headers'] }> {
    const { status, headers, body } = await this.get(address, options);
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of body as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > most)
        throw new ImportError('source_refused', `${placeOf(address)} is longer than ${most >> 20} MiB.`);
      pieces.push(piece);
    }
    if (status !== 200) throw new RefusedRequest(address, status);
    return { text: Buffer.concat(pieces).toString(), headers };
  }

  /** Like `text`, of JSON with this form. */
  async json<Schema extends z.ZodType>(
    address: string,
    schema: Schema,
    options: UpstreamRequest = {},
  ): Promise<{ document: z.infer<Schema>; headers: TransportResponse['headers'] }> {
    const { text, headers } = await this.text(address, options);
    const parsed = schema.safeParse(jsonOf(text));
    if (parsed.success) return { document: parsed.data, headers };
    throw new ImportError(
      'source_refused',
      `${placeOf(address)} does not answer as this kind of source does.`,
    );
  }

  /** Reads a file from a byte on, if the server can. */
  async open(
    address: string,
    from: number,
    options: UpstreamRequest = {},
  ): Promise<{ from: number; bytes: AsyncIterable<Uint8Array> }> {
    const range: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {};
    const headers = { ...options.headers, ...range };
    const { status, headers: received, body } = await this.get(address, { ...options, headers });
    const begins = /^bytes (\d+)-/.exec(received['content-range'] ?? '')?.[1];
    if (status === 206 && Number(begins) === from) return { from, bytes: body };
    if (status === 200) return { from: 0, bytes: body };
    await body.dump();
    if (status === 416 && from > 0) return this.open(address, 0, options);
    throw new RefusedRequest(address, status);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async #retried(
    url: URL,
    { method = 'GET', headers = {}, body, signal }: UpstreamRequest,
  ): Promise<TransportResponse> {
    for (let attempt = 1; ; attempt++) {
      try {
        const sent = body === undefined ? { method } : { method: 'POST', body };
        const request = { ...sent, url: url.href, headers, ...(signal && { signal }) };
        const response = await this.#transport.send(request);
        if (attempt === ATTEMPTS || (response.status !== 429 && response.status < 500)) return response;
        await response.body.dump();
      } catch (error) {
        signal?.throwIfAborted();
        if (attempt === ATTEMPTS)
          throw new ImportError('source_unavailable', `Could not reach ${url.host}.`, error);
      }
      await new Promise((resolve) => setTimeout(resolve, 250 * 3 ** attempt * Math.random()));
    }
  }
}

/** A source answered, but not with what was asked for. */
export class RefusedRequest extends ImportError {
  readonly status: number;

  constructor(address: string, status: number) {
    const why =
      status === 401 || status === 403
        ? 'It needs a sign-in, or a token that may read it.'
        : status === 404
          ? 'There is nothing at this address, or it is private.'
          : 'The source does not answer as expected.';
    super('source_unavailable', `${placeOf(address)} answered ${status}. ${why}`);
    this.status = status;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An address without its query and credentials. */
export function placeOf(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}

async function refuseInward(next: URL, from: URL): Promise<void> {
  if ((await isInternal(next)) && !(await isInternal(from)))
    throw new ImportError(
      'source_refused',
      `${from.host} leads to ${next.host}, an address in a network of this machine.`,
    );
}

async function isInternal({ hostname }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses =
    isIP(host) === 0 ? await lookup(host, { all: true }).catch(() => []) : [{ address: host }];
  return addresses.some(({ address }) => INTERNAL.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'));
}

function networks(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    list.addSubnet(address, Number(prefix), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

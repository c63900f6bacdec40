import { ServiceError } from '../../errors.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';

/*
 * Fetching by gitprotocol-http(5) and gitprotocol-pack(5), version 0, as of a repository whose commits have no parents.
 */

/** What a client may ask for. */
const CAPABILITIES = [
  ...['multi_ack_detailed', 'side-band-64k', 'no-progress', 'shallow'],
  ...['symref=HEAD:refs/heads/main', 'object-format=sha1', 'agent=bindery'],
].join(' ');

export const FLUSH = Buffer.from('0000');

/** The most bytes of a packet with its length. */
const MAX_PACKET = 65_520;

export function packet(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

/** A reference with the commit to which it leads. */
export interface Reference {
  name: string;
  commit: string;
}

const NOTHING = '0'.repeat(40);

/** The first answer: the references, of which the first is `HEAD`. */
export function advertisementOf(references: readonly Reference[]): Buffer {
  const first = references[0] ?? { name: 'capabilities^{}', commit: NOTHING };
  return Buffer.concat([
    packet('# service=git-upload-pack\n'),
    FLUSH,
    packet(`${first.commit} ${first.name}\0${CAPABILITIES}\n`),
    ...references.slice(1).map(({ name, commit }) => packet(`${commit} ${name}\n`)),
    FLUSH,
  ]);
}

/** What a client asks for. */
export interface FetchRequest {
  wants: Set<string>;
  /** Commits that it has. */
  haves: Set<string>;
  capabilities: Set<string>;
  isShallow: boolean;
  /** Whether it tells what it has, which may be nothing; otherwise it only asks what a depth cuts off. */
  isTelling: boolean;
  /** Whether it is to be sent everything now. */
  isDone: boolean;
}

/** More than there are references to a library. */
const MAX_WANTS = 1_000;

/** Throws `bad_request`. */
export async function readFetchRequest(body: Buffer): Promise<FetchRequest> {
  const request: FetchRequest = {
    wants: new Set(),
    haves: new Set(),
    capabilities: new Set(),
    isShallow: false,
    isTelling: false,
    isDone: false,
  };
  let flushed = false;
  for (let at = 0; at < body.length; ) {
    request.isTelling ||= flushed;
    if (turnIsOver()) await nextTurn();
    const digits = body.toString('latin1', at, at + 4);
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1;
    if (length === 0) {
      flushed = true;
      at += 4;
    } else if (length < 5 || at + length > body.length) throw malformed();
    else {
      readLine(request, body.toString('latin1', at + 4, at + length).replace(/\n$/, ''));
      at += length;
    }
  }
  return request;
}

function readLine(request: FetchRequest, line: string): void {
  const { wants, haves, capabilities } = request;
  const [, command = '', value = '', rest = ''] = /^(\w+)(?: ([^ \0]+))?(.*)$/s.exec(line) ?? [];
  switch (command) {
    case 'want':
      if (wants.size === 0) for (const word of rest.split(' ')) capabilities.add(word);
      wants.add(commitIn(value));
      if (wants.size > MAX_WANTS) throw malformed(`it wants more than ${MAX_WANTS} commits`);
      return;
    case 'have':
      haves.add(commitIn(value));
      return;
    case 'shallow':
      return;
    case 'deepen':
      request.isShallow = true;
      return;
    case 'done':
      request.isDone = true;
      return;
    default:
      throw malformed();
  }
}

function commitIn(value: string): string {
  if (!/^[0-9a-f]{40}$/.test(value)) throw malformed();
  return value;
}

function malformed(why = 'it does not follow the protocol'): ServiceError {
  return new ServiceError('bad_request', `This is no request of git: ${why}.`);
}

/**
 * Yields what comes before the pack. Commits have no parents, so what is had in common is known after the first round;
 * and nothing is cut off by a depth.
 */
export function* acknowledgements(
  { isShallow, isTelling, isDone, capabilities }: FetchRequest,
  common: readonly string[],
): Generator<Buffer> {
  if (isShallow) yield FLUSH;
  if (!isTelling) return;
  const last = common.at(-1);
  if (!isDone && capabilities.has('multi_ack_detailed')) {
    for (const commit of common) yield packet(`ACK ${commit} common\n`);
    if (last !== undefined) yield packet(`ACK ${last} ready\n`);
  }
  if (isDone && last !== undefined) yield packet(`ACK ${last}\n`);
  else yield packet('NAK\n');
}

/** What git prints: an error that ends everything. */
export function refusal(message: string): Buffer {
  return packet(`ERR ${message}`);
}

const BANDS = { pack: 1, progress: 2, failure: 3 };

/** Sends a pack in packets, with remarks before it; what fails on the way is told in one, too. */
export async function* inBands(
  pack: AsyncIterable<Uint8Array>,
  remarks: readonly string[],
): AsyncGenerator<Buffer> {
  for (const remark of remarks) yield banded('progress', Buffer.from(`${remark}\n`));
  let waiting: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of pack) {
      for (let at = 0; at < piece.length; ) {
        const part = piece.subarray(at, at + MAX_PACKET - 5 - length);
        waiting.push(part);
        at += part.length;
        length += part.length;
        if (length < MAX_PACKET - 5) continue;
        yield banded('pack', Buffer.concat(waiting));
        [waiting, length] = [[], 0];
      }
    }
  } catch (error) {
    yield banded(
      'failure',
      Buffer.from('A file could not be read. The service has reported it to its operator.\n'),
    );
    throw error;
  }
  if (length > 0) yield banded('pack', Buffer.concat(waiting));
  yield FLUSH;
}

function banded(band: keyof typeof BANDS, bytes: Uint8Array): Buffer {
  return packet(Buffer.concat([Buffer.from([BANDS[band]]), bytes]));
}

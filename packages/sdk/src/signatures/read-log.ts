import { hash } from 'node:crypto';
import { join } from 'node:path';
import {
  type LogEntry,
  SignatureError,
  SignatureLog,
  type SignatureProblem,
} from '@bindery/contract/signatures';
import { LIMITS, routes } from '@bindery/contract/wire';
import type { Client } from '../client/client.ts';
import { ApiError, NetworkError } from '../client/errors.ts';
import { MirrorError, SignatureRefusedError } from '../failures.ts';
import {
  formatLibraryAddress,
  type LibraryAddress,
  libraryParams,
  readQuery,
} from '../library/library-address.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { readRecord, writeRecord } from '../tree/records.ts';

export interface ReadLogOptions {
  /** Remembers the log of each library that was read on this machine. */
  stateFolder: string;
  /** Read from here if it has the log, else from the service. */
  mirror?: Mirror | undefined;
  signal?: AbortSignal | undefined;
}

/** A log in which every signature was verified, and which continues what this machine remembers of it. */
export interface KnownLog {
  log: SignatureLog;
  /** Whether this machine remembered nothing of it: whoever began the log was believed. */
  isFirst: boolean;
}

/**
 * Reads the signature log of a library of a server, and remembers it. If the service cannot be reached, what is
 * remembered is the log. A mirror may be older than that, but must not differ. Throws `SignatureRefusedError` and the
 * client's errors.
 */
export async function readSignatureLog(
  server: string,
  address: LibraryAddress,
  client: () => Promise<Client>,
  options: ReadLogOptions,
): Promise<KnownLog> {
  const library = nameOf(address);
  const memory = new LogMemory(options.stateFolder, server, library);
  const remembered = memory.read();
  const read = await readEntries(address, client, remembered, options);
  return refusing(library, () => {
    const entries = continued(remembered ?? [], read);
    const log = SignatureLog.read(library, entries);
    if (entries.length > (remembered?.length ?? 0)) memory.write(entries);
    return { log, isFirst: remembered === null };
  });
}

/** Runs `work`, whose `SignatureError` becomes one of this package. */
export function refusing<T>(library: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SignatureError)
      throw new SignatureRefusedError(library, error.problem, error.message);
    throw error;
  }
}

interface ReadEntries {
  entries: readonly LogEntry[];
  /** It may lack entries that are remembered. */
  mayBeOlder: boolean;
}

async function readEntries(
  address: LibraryAddress,
  client: () => Promise<Client>,
  remembered: readonly LogEntry[] | null,
  { mirror, signal }: ReadLogOptions,
): Promise<ReadEntries> {
  const copied = mirror && (await readFromMirror(mirror, nameOf(address), signal));
  if (copied) return { entries: copied, mayBeOlder: true };
  try {
    const answer = await (await client()).call(routes.signatures.listSignatures, {
      params: libraryParams(address),
      query: readQuery({ share: address.share }),
      ...(signal ? { signal } : {}),
    });
    return { entries: entriesOf(answer) ?? [], mayBeOlder: false };
  } catch (error) {
    if (remembered === null || !(error instanceof NetworkError)) throw error;
    return { entries: remembered, mayBeOlder: true };
  }
}

/** Returns the longer of two logs. Throws `SignatureError` if neither continues the other. */
function continued(
  remembered: readonly LogEntry[],
  { entries, mayBeOlder }: ReadEntries,
): readonly LogEntry[] {
  const differs = remembered.findIndex(
    (known, place) => place < entries.length && !isSame(known, entries[place]),
  );
  if (differs >= 0) {
    throw problem('forked_log', `differs in entry ${differs} from what this machine has seen`);
  }
  if (entries.length >= remembered.length) return entries;
  if (mayBeOlder) return remembered;
  throw problem(
    'truncated_log',
    `has ${entries.length} entries, and this machine has seen ${remembered.length} of them`,
  );
}

function isSame(known: LogEntry, other: LogEntry | undefined): boolean {
  return known.statement === other?.statement && known.signature === other.signature;
}

function problem(code: SignatureProblem, what: string): SignatureError {
  return new SignatureError(code, `The signature log ${what}.`);
}

/** The path of a log in a mirror. */
export function mirroredLogPath(library: string): string {
  return `signatures/${library}.json`;
}

/** Returns the text of a log in a mirror. */
export function mirroredLogText(entries: readonly LogEntry[]): string {
  return `${JSON.stringify({ entries }, null, 2)}\n`;
}

/** As long as JSON can make the longest log. */
const MAX_BYTES = LIMITS.signatures.entries * LIMITS.signatures.length * 2 * 6;

/** Returns null if the mirror has none that can be read. */
async function readFromMirror(
  mirror: Mirror,
  library: string,
  signal?: AbortSignal,
): Promise<LogEntry[] | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of mirror.readUnverified(mirroredLogPath(library), signal)) {
      size += piece.length;
      if (size > MAX_BYTES) return null;
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof MirrorError || error instanceof ApiError) return null;
    throw error;
  }
  return parseEntries(Buffer.concat(pieces).toString('utf8'));
}

function parseEntries(text: string): LogEntry[] | null {
  try {
    return entriesOf(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Returns null for anything that is no log: who sent it may have sent anything. */
function entriesOf(value: unknown): LogEntry[] | null {
  const isObject = (some: unknown): some is Record<string, unknown> =>
    typeof some === 'object' && some !== null;
  if (!isObject(value) || !Array.isArray(value.entries) || !value.entries.every(isObject)) return null;
  return value.entries.map(({ statement, signature }) => ({
    statement: String(statement),
    signature: String(signature),
  }));
}

const FORMAT = 'bindery-signatures 1';

/** What this machine has seen of the log of one library. It is never forgotten. */
class LogMemory {
  readonly #file: string;
  readonly #library: string;

  constructor(stateFolder: string, server: string, library: string) {
    this.#file = join(
      stateFolder,
      'signatures',
      `${hash('sha256', `${server} ${library}`).slice(0, 32)}.json`,
    );
    this.#library = library;
  }

  /** Returns null if nothing was seen. */
  read(): LogEntry[] | null {
    const record = readRecord(this.#file, FORMAT);
    if (record === 'missing') return null;
    const entries = record === 'damaged' ? null : parseEntries(record.text);
    if (entries !== null) return entries;
    const message = `What this machine remembers of the signature log is damaged. Delete ${this.#file} to believe the log as it is.`;
    throw new SignatureRefusedError(this.#library, 'damaged_memory' satisfies SignatureProblem, message);
  }

  write(entries: readonly LogEntry[]): void {
    writeRecord(this.#file, FORMAT, JSON.stringify({ entries }), Number.POSITIVE_INFINITY);
  }
}

function nameOf({ namespace, name }: LibraryAddress): string {
  return formatLibraryAddress({ namespace, name });
}

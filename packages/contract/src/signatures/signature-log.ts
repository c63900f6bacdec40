import { hash } from 'node:crypto';
import { LIMITS } from '../limits.ts';
import { SignatureError } from './signature-error.ts';
import { fingerprintOf, verifySshSignature } from './ssh-signature.ts';
import { formatStatement, parseStatement, type SignedAction, type SignedRelease } from './statement.ts';

/** An entry of a signature log: a statement, and its signature by OpenSSH. */
export interface LogEntry {
  statement: string;
  signature: string;
}

/** A release as it was signed. */
export interface ReleaseSignature extends SignedRelease {
  /** The number of the entry, from 0. */
  entry: number;
  time: string;
  /** Who signed: `ssh-ed25519 AAAA…`. */
  key: string;
}

/**
 * The signatures of a library's releases: a list to which entries are only ever added. Each is signed by a key that an
 * earlier one allows; the first allows itself. Each commits to all before it, so that entries can be neither removed,
 * reordered nor replaced without a key. A key that is revoked signs nothing further; what it signed stays signed.
 */
export class SignatureLog {
  /** `ns/name`. */
  readonly library: string;
  readonly entries: LogEntry[] = [];
  readonly #tree = new MerkleTree();
  readonly #keys = new Map<string, 'allowed' | 'revoked'>();
  readonly #releases = new Map<string, ReleaseSignature>();

  constructor(library: string) {
    this.library = library;
  }

  /** Reads a whole log, and verifies every signature. Throws `SignatureError` for the first entry that is refused. */
  static read(library: string, entries: readonly LogEntry[]): SignatureLog {
    const log = new SignatureLog(library);
    for (const entry of entries) log.append(entry);
    return log;
  }

  /** The Merkle root of all entries: two people with the same root have the same log. */
  root(): string {
    return this.#tree.root();
  }

  /** The keys that may sign. */
  signers(): string[] {
    return [...this.#keys].flatMap(([key, state]) => (state === 'allowed' ? [key] : []));
  }

  /** The last signature of a release. */
  release(name: string): ReleaseSignature | undefined {
    return this.#releases.get(name);
  }

  /** The signature of a release with this manifest, whatever its name. */
  releaseWith(manifestSha256: string): ReleaseSignature | undefined {
    return [...this.#releases.values()].find(({ manifest }) => manifest.sha256 === manifestSha256);
  }

  /** Returns the statement of the next entry, which is to be signed. */
  next(action: SignedAction, time: string): string {
    const { library } = this;
    return formatStatement({ library, entry: this.entries.length, root: this.root(), time, action });
  }

  /**
   * Adds an entry. One that is `stored` was verified before it was, and its signature is only read. Throws
   * `SignatureError`, and then the log is as it was.
   */
  append(entry: LogEntry, { stored = false }: { stored?: boolean } = {}): void {
    const place = this.entries.length;
    if (place >= LIMITS.signatures.entries)
      throw refused('too_many_entries', `has ${place} entries, the maximum`);
    const { library, root, time, action, ...statement } = parseStatement(entry.statement);
    if (library !== this.library) throw refused('other_library', `is of ${library}, not of ${this.library}`);
    if (statement.entry !== place)
      throw refused('other_place', `has entry ${statement.entry} at place ${place}`);
    if (root !== this.root())
      throw refused('other_history', `has other entries than those that entry ${place} follows`);
    const key = verifySshSignature(entry.statement, entry.signature, { isVerified: stored });
    this.#requireAllowed(key, place, action);
    if (action.kind === 'release') this.#addRelease({ ...action.release, entry: place, time, key });
    else this.#changeKey(action, place);
    this.entries.push(entry);
    this.#tree.append(Buffer.from(entry.statement + entry.signature));
  }

  #requireAllowed(key: string, place: number, action: SignedAction): void {
    const state = this.#keys.get(key);
    if (state === 'allowed' || (place === 0 && action.kind === 'allow' && action.key === key)) return;
    const who = `${fingerprintOf(key)}, which signed entry ${place},`;
    if (state === 'revoked') throw refused('revoked_key', `had revoked ${who} before`);
    throw refused('unknown_key', `does not allow ${who} to sign`);
  }

  #changeKey({ kind, key }: Exclude<SignedAction, { kind: 'release' }>, place: number): void {
    const state = this.#keys.get(key);
    const isUseful = kind === 'allow' ? state === undefined : state === 'allowed';
    if (!isUseful) {
      const why = state === 'revoked' ? 'is revoked for good' : `is ${state ?? 'not allowed'} already`;
      throw refused('useless_key_change', `changes nothing in entry ${place}: ${fingerprintOf(key)} ${why}`);
    }
    if (kind === 'revoke' && this.signers().length === 1) {
      throw refused(
        'last_key',
        `would have nobody left who may sign after entry ${place}; allow another key first`,
      );
    }
    this.#keys.set(key, kind === 'allow' ? 'allowed' : 'revoked');
  }

  #addRelease(signed: ReleaseSignature): void {
    const before = this.#releases.get(signed.name);
    if (
      before !== undefined &&
      (before.manifest.sha256 !== signed.manifest.sha256 || before.revision !== signed.revision)
    ) {
      throw refused(
        'signed_before',
        `has a signature of other contents for ${signed.name}, in entry ${before.entry}`,
      );
    }
    this.#releases.set(signed.name, signed);
  }
}

function refused(problem: SignatureError['problem'], what: string): SignatureError {
  return new SignatureError(problem, `The signature log ${what}.`);
}

/** Computes the root of a list that grows, as RFC 9162 defines it. */
class MerkleTree {
  #size = 0;
  /** The roots of the perfect subtrees that the list splits into, the largest first. */
  readonly #subtrees: { size: number; root: Buffer }[] = [];

  get size(): number {
    return this.#size;
  }

  append(leaf: Uint8Array): void {
    let added = { size: 1, root: digest(0, leaf) };
    for (let last = this.#subtrees.at(-1); last?.size === added.size; last = this.#subtrees.at(-1)) {
      this.#subtrees.pop();
      added = { size: 2 * added.size, root: digest(1, last.root, added.root) };
    }
    this.#subtrees.push(added);
    this.#size += 1;
  }

  /** Returns 64 hexadecimal digits; for an empty list, those of the SHA-256 of nothing. */
  root(): string {
    const roots = this.#subtrees.map(({ root }) => root);
    if (roots.length === 0) return hash('sha256', '');
    return roots.reduceRight((right, left) => digest(1, left, right)).toString('hex');
  }
}

/** A leaf is hashed after a zero, a pair of subtrees after a one, so that neither is taken for the other. */
function digest(prefix: 0 | 1, ...parts: Uint8Array[]): Buffer {
  return hash('sha256', Buffer.concat([Buffer.of(prefix), ...parts]), 'buffer');
}

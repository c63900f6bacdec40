import { LIBRARY_NAME, NAMESPACE_SLUG, RELEASE_NAME, SHA256_HEX } from '../names.ts';
import { SignatureError } from './signature-error.ts';

/** What an entry of a signature log says. Keys are as in a file of OpenSSH: `ssh-ed25519 AAAA…`. */
export type SignedAction =
  | { kind: 'allow' | 'revoke'; key: string }
  | { kind: 'release'; release: SignedRelease };

/** A release, and the manifest that it had when it was signed; its size in bytes. */
export interface SignedRelease {
  name: string;
  revision: number;
  manifest: { sha256: string; size: number };
}

/** What is signed. An entry commits to all entries before it, and belongs to one library. */
export interface Statement {
  /** `ns/name`. */
  library: string;
  /** Its number in the log, from 0. */
  entry: number;
  /** The Merkle root of the entries before it. */
  root: string;
  /** When the signer says that it was signed: ISO-8601 UTC with seconds. */
  time: string;
  action: SignedAction;
}

const HEADING = 'bindery signature log';

/** Returns the bytes that are signed: equal statements have equal texts. */
export function formatStatement({ library, entry, root, time, action }: Statement): string {
  const lines = [HEADING, `library: ${library}`, `entry: ${entry}`, `root: ${root}`, `time: ${time}`];
  if (action.kind === 'release') {
    const { name, revision, manifest } = action.release;
    lines.push(`release: ${name}`, `revision: ${revision}`, `manifest: ${manifest.sha256} ${manifest.size}`);
  } else {
    lines.push(`${action.kind}: ${action.key}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Parses a statement. Throws `SignatureError` for anything that `formatStatement` does not write. */
export function parseStatement(text: string): Statement {
  const fields = new Map(text.split('\n').map((line) => line.split(/: (.*)/, 2) as [string, string]));
  const field = (name: string) => fields.get(name) ?? '';
  const statement: Statement = {
    library: field('library'),
    entry: Number(field('entry')),
    root: field('root'),
    time: field('time'),
    action: actionOf(fields),
  };
  if (!isValid(statement) || formatStatement(statement) !== text) {
    throw new SignatureError('malformed_statement', 'A statement of the log has no valid form.');
  }
  return statement;
}

function actionOf(fields: ReadonlyMap<string, string>): SignedAction {
  for (const kind of ['allow', 'revoke'] as const) {
    const key = fields.get(kind);
    if (key !== undefined) return { kind, key };
  }
  const [sha256 = '', size] = (fields.get('manifest') ?? '').split(' ');
  const name = fields.get('release') ?? '';
  const revision = Number(fields.get('revision'));
  return { kind: 'release', release: { name, revision, manifest: { sha256, size: Number(size) } } };
}

function isValid({ library, entry, root, time, action }: Statement): boolean {
  const [namespace = '', name = '', ...more] = library.split('/');
  return (
    more.length === 0 &&
    NAMESPACE_SLUG.pattern.test(namespace) &&
    LIBRARY_NAME.pattern.test(name) &&
    isCount(entry) &&
    SHA256_HEX.pattern.test(root) &&
    isTime(time) &&
    (action.kind === 'release'
      ? isRelease(action.release)
      : /^ssh-ed25519 [A-Za-z0-9+/]{68}$/.test(action.key))
  );
}

function isRelease({ name, revision, manifest }: SignedRelease): boolean {
  return (
    RELEASE_NAME.pattern.test(name) &&
    isCount(revision) &&
    SHA256_HEX.pattern.test(manifest.sha256) &&
    isCount(manifest.size)
  );
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function isTime(text: string): boolean {
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && formatTime(time) === text;
}

/** Returns a time as statements have it. */
export function formatTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

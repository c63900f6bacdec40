import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ImportError, isSystemError } from '../failures.ts';
import { findLfsFiles, type LfsFile, openLfsFile } from './git-lfs.ts';
import type { Reach } from './requests.ts';
import type { ParsedSource, SourceKind, UpstreamContext, UpstreamFile, UpstreamTree } from './upstream.ts';

/** Bytes of what git says of a repository. */
const MAX_OUTPUT = 512 * 2 ** 20;

/** What was fetched last. */
const FETCHED = 'refs/imported/last';

/** Bytes of a file that may be a pointer of LFS. */
const POINTER = 1_024;

/** Nothing that a repository says is run: no hooks, filters, helpers of other protocols or submodules. */
const SAFE = [
  ...['-c', 'http.lowSpeedLimit=1000', '-c', 'http.lowSpeedTime=60'],
  ...['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'protocol.ext.allow=never'],
  ...['-c', 'submodule.recurse=false', '-c', 'fetch.recurseSubmodules=false', '-c', 'gc.auto=0'],
];

/** Repositories of git, by what names a commit: a branch, a tag or the commit itself. */
export const GIT: SourceKind = {
  example: 'https://github.com/owner/repository@v1.0',
  parse(address) {
    const match =
      /^(?:git\+)?((?:https?|ssh|file):\/\/(?:[^/@]*@)?[^@]+)(?:@(.+))?$/.exec(address) ??
      /^(git@[^:@]+:.+?)(?:@([^@]+))?$/.exec(address);
    const [, url = '', ref = 'HEAD'] = match ?? [];
    const isGit =
      /^git[+@]|^ssh:|^file:/.test(address) ||
      /\.git$/.test(url) ||
      /^https:\/\/(github\.com|gitlab\.com|codeberg\.org|bitbucket\.org)\/[^/]+\/[^/]+\/?$/.test(url);
    if (!isGit) return null;
    if (ref.startsWith('-'))
      throw new ImportError('source_invalid', `invalid reference ${JSON.stringify(ref)}`);
    return {
      key: withoutCredentials(url),
      address: () => (URL.canParse(url) ? url : `ssh://${url}`),
      open: (context) => openRepository(url, ref, context),
    };
  },
} satisfies SourceKind;

/** How git is run: its settings, and what it gets of this program's variables. */
interface Setting {
  options: readonly string[];
  variables: NodeJS.ProcessEnv;
}

/** What git and its helpers sign in with stays; the login of Bindery is none of it. */
function openSetting(): Setting {
  const { BINDERY_TOKEN: _, ...variables } = process.env;
  return { options: SAFE, variables };
}

/** Goes to one host over HTTPS, at an address that may be connected to, and knows no settings or credentials. */
async function confinedSetting(url: string, reach: Reach, folder: string): Promise<Setting> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:')
    throw new ImportError('source_refused', `Repositories are fetched over HTTPS, which ${url} is not.`);
  reach.require(new URL(url));
  const bare = hostname.replace(/^\[|\]$/g, '');
  const found = isIP(bare) ? [{ address: bare }] : await lookUp(bare, reach);
  const addresses = found.map(({ address }) => (isIP(address) === 6 ? `[${address}]` : address));
  const { PATH, GIT_SSL_CAINFO } = process.env;
  return {
    options: [
      ...SAFE,
      ...['-c', `http.curloptResolve=${hostname}:${port || '443'}:${addresses.join(',')}`],
      ...['-c', 'http.followRedirects=false', '-c', 'http.proxy=', '-c', 'transfer.bundleURI=false'],
      ...['-c', 'protocol.allow=never', '-c', 'protocol.https.allow=always', '-c', 'credential.helper='],
    ],
    variables: {
      ...{ PATH, ...(GIT_SSL_CAINFO && { GIT_SSL_CAINFO }), HOME: folder, GIT_ASKPASS: '/bin/false' },
      ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_ALLOW_PROTOCOL: 'https' },
    },
  };
}

function lookUp(host: string, { lookup }: Reach): Promise<{ address: string }[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, found) => {
      if (error) reject(new ImportError('source_unavailable', `Could not reach ${host}.`, error));
      else resolve(Array.isArray(found) ? found : [{ address: found }]);
    });
  });
}

/** Older versions ignore the setting that holds them to an address. */
async function requireRecentGit(): Promise<void> {
  const { stdout } = await promisify(execFile)('git', ['version']).catch(() => ({ stdout: '' }));
  const [, major = 0, minor = 0] = /^git version (\d+)\.(\d+)/.exec(stdout) ?? [];
  if (Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 37)) return;
  throw new ImportError('source_unavailable', 'Importing from git here needs git 2.37 or later.');
}

async function openRepository(
  url: string,
  ref: string,
  context: UpstreamContext,
): ReturnType<ParsedSource['open']> {
  const { folder, requests, signal } = context;
  const repository = join(folder, 'repository');
  mkdirSync(repository, { recursive: true });
  if (requests.reach) await requireRecentGit();
  const setting = requests.reach ? await confinedSetting(url, requests.reach, folder) : openSetting();
  const git = (...words: string[]) => runGit(setting, repository, words, signal);
  await git('init', '--bare', '--quiet', '.');
  // Into a reference, as a server sends nothing of what it is told is here.
  await git('fetch', '--quiet', '--depth=1', '--no-tags', '--force', '--', url, `${ref}:${FETCHED}`);
  const commit = (await git('rev-parse', '--verify', `${FETCHED}^{commit}`)).toString().trim();
  const source = withoutCredentials(url);
  const { entries, leftOut } = readEntries(await git('ls-tree', '-r', '-l', '-z', '--full-tree', commit));
  const blobs = new BlobReader(setting, repository);
  const lfs = await findPointers(entries, blobs);
  const pointed = new Set([...lfs.values()].map(({ oid }) => oid));
  return {
    source,
    revision: commit,
    library: { homepage: webPageOf(source), upstream: { repo: source, commit } },
    folders: new Map(),
    files: entries.map(({ path, id, size }): UpstreamFile => {
      const pointer = lfs.get(id);
      const url = fileUrl(source, commit, path);
      if (pointer)
        return {
          path,
          version: pointer.oid,
          size: pointer.size,
          digest: { algorithm: 'sha256', hex: pointer.oid },
          url,
        };
      return { path, version: id, size, digest: { algorithm: 'git', hex: id }, url };
    }),
    leftOut,
    concurrency: 8,
    async open({ path, version, size }, from, fileSignal) {
      const pointer = { oid: version, size: size ?? 0 };
      if (pointed.has(version)) return openLfsFile(url, pointer, from, requests, fileSignal);
      return { from: 0, bytes: blobs.read(version, path) };
    },
    async continues(earlier) {
      if (earlier === commit) return true;
      // Commits alone, which are little, in place of all that they changed.
      const history = join(folder, 'history');
      mkdirSync(history, { recursive: true });
      const git = (...words: string[]) => runGit(setting, history, words, signal);
      const fetched = ['--quiet', '--filter=tree:0', '--no-tags', '--force', '--', url, `${ref}:imported`];
      await git('init', '--bare', '--quiet', '.');
      await git('fetch', ...fetched);
      // Fails too for a commit that is not in this history at all.
      return git('merge-base', '--is-ancestor', earlier, commit).then(
        () => true,
        () => {
          signal?.throwIfAborted();
          return false;
        },
      );
    },
    close: () => blobs.close(),
  } satisfies UpstreamTree;
}

async function runGit(
  setting: Setting,
  folder: string,
  words: readonly string[],
  signal?: AbortSignal,
): Promise<Buffer> {
  const options = {
    ...optionsOf(setting, folder, signal),
    encoding: 'buffer',
    maxBuffer: MAX_OUTPUT,
  } as const;
  const running = promisify(execFile)('git', [...setting.options, ...words], options);
  running.child.stdin?.end();
  try {
    return (await running).stdout;
  } catch (error) {
    signal?.throwIfAborted();
    if (isSystemError(error, 'ENOENT'))
      throw new ImportError('source_unavailable', 'git is not installed; importing from git needs it.');
    const { code, stderr } = error as { code?: string | number; stderr?: Buffer };
    const reason = stderr?.toString().trim().split('\n').slice(-3).join(' ');
    throw new ImportError(
      'source_unavailable',
      `git ${words[0]} failed: ${withoutPasswords(reason ?? '') || `exit code ${code}`}`,
    );
  }
}

function startGit(
  setting: Setting,
  folder: string,
  words: readonly string[],
): ChildProcessWithoutNullStreams {
  return spawn('git', [...setting.options, ...words], optionsOf(setting, folder));
}

function optionsOf({ variables }: Setting, folder: string, signal?: AbortSignal) {
  const env = { ...variables, GIT_TERMINAL_PROMPT: '0', GIT_DIR: folder, LC_ALL: 'C' };
  return { cwd: folder, env, ...(signal && { signal }) };
}

interface Entry {
  path: string;
  id: string;
  size: number;
}

/** Reads what `git ls-tree -r -l -z` prints. */
function readEntries(output: Buffer): Pick<UpstreamTree, 'leftOut'> & { entries: Entry[] } {
  const entries: Entry[] = [];
  const leftOut: { path: string; reason: string }[] = [];
  for (const line of output.toString('utf8').split('\0')) {
    const match = /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(line);
    if (match === null) continue;
    const [, mode, , id = '', size, path = ''] = match;
    if (mode === '160000') leftOut.push({ path, reason: 'a submodule, which is another source' });
    else if (mode === '120000') leftOut.push({ path, reason: 'a link' });
    else entries.push({ path, id, size: Number(size) });
  }
  return { entries, leftOut };
}

async function findPointers(entries: readonly Entry[], blobs: BlobReader): Promise<Map<string, LfsFile>> {
  const attributes = entries.filter(({ path }) => /(^|\/)\.gitattributes$/.test(path));
  let usesLfs = false;
  for (const { id, path } of attributes)
    usesLfs ||= (await wholeText(blobs.read(id, path))).includes('filter=lfs');
  if (!usesLfs) return new Map();
  const candidates = entries.filter(({ size }) => size > 0 && size < POINTER);
  return findLfsFiles(candidates, (id, path) => wholeText(blobs.read(id, path)));
}

async function wholeText(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** Reads blobs one after the other with one process of git. */
class BlobReader {
  readonly #setting: Setting;
  readonly #folder: string;
  #process: ChildProcessWithoutNullStreams | undefined;
  #pieces: AsyncIterator<Buffer> | undefined;
  #rest: Buffer = Buffer.alloc(0);
  #last: Promise<void> = Promise.resolve();

  constructor(setting: Setting, folder: string) {
    this.#setting = setting;
    this.#folder = folder;
  }

  async *read(id: string, path: string): AsyncGenerator<Uint8Array> {
    const before = this.#last;
    let done = () => {};
    this.#last = new Promise((resolve) => {
      done = resolve;
    });
    await before;
    let isWhole = false;
    try {
      this.#process ??= startGit(this.#setting, this.#folder, ['cat-file', '--batch']);
      this.#pieces ??= this.#process.stdout[Symbol.asyncIterator]();
      this.#process.stdin.write(`${id}\n`);
      const head = await this.#line();
      const left = Number(/^[0-9a-f]+ blob (\d+)$/.exec(head)?.[1] ?? Number.NaN);
      if (Number.isNaN(left)) throw new ImportError('source_unavailable', `git has no content of ${path}.`);
      yield* this.#take(left);
      for await (const _ of this.#take(1));
      isWhole = true;
    } finally {
      // What was not read would be taken for the next file.
      if (!isWhole) await this.close();
      done();
    }
  }

  async close(): Promise<void> {
    this.#process?.kill();
    this.#process = undefined;
    this.#pieces = undefined;
    this.#rest = Buffer.alloc(0);
  }

  async #line(): Promise<string> {
    for (let end = this.#rest.indexOf(10); ; end = this.#rest.indexOf(10)) {
      if (end >= 0) {
        const line = this.#rest.subarray(0, end).toString();
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      this.#rest = Buffer.concat([this.#rest, await this.#next()]);
    }
  }

  async *#take(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0; ) {
      if (this.#rest.length === 0) this.#rest = await this.#next();
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  async #next(): Promise<Buffer> {
    const { value, done } = (await this.#pieces?.next()) ?? { done: true };
    if (done === true || value === undefined)
      throw new ImportError('source_unavailable', 'git stopped before it had sent everything.');
    return value;
  }
}

function withoutCredentials(url: string): string {
  return url.replace(/^([a-z+]+:\/\/)[^/@]*@/, '$1');
}

function withoutPasswords(text: string): string {
  return text.replaceAll(/:\/\/[^/@\s]*@/g, '://');
}

function webPageOf(source: string): string {
  return source.replace(/\.git$/, '');
}

/** The page of a file at a commit, where hosts of repositories have one. */
function fileUrl(source: string, commit: string, path: string): string {
  const page = webPageOf(source);
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const isGitLab = /^https:\/\/gitlab\./.test(page);
  return `${page}/${isGitLab ? '-/' : ''}blob/${commit}/${encoded}`;
}

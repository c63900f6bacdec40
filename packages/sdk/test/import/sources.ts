import { execFileSync, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { temporaryFolder, writeFiles } from '../folder.ts';

const GIT_SETTINGS = [
  '-c',
  'user.name=Ada',
  '-c',
  'user.email=ada@example.org',
  '-c',
  'commit.gpgsign=false',
];

/** A repository of git that tests commit to. */
export class Repository {
  readonly folder = temporaryFolder();
  /** Bytes of each answer that was sent over HTTP. */
  readonly sent: number[] = [];

  constructor() {
    this.git('init', '--quiet', '--initial-branch=main', '.');
    this.git('config', 'uploadpack.allowFilter', 'true');
    this.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
    this.git('config', 'http.getanyfile', 'true');
  }

  git(...words: string[]): string {
    return execFileSync('git', [...GIT_SETTINGS, ...words], {
      cwd: this.folder,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  }

  /** Returns the commit. */
  commit(files: Record<string, string | null>): string {
    const written = Object.entries(files).flatMap(([path, text]) => (text === null ? [] : [[path, text]]));
    writeFiles(this.folder, Object.fromEntries(written));
    for (const [path, text] of Object.entries(files)) if (text === null) rmSync(join(this.folder, path));
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message', 'Change');
    return this.git('rev-parse', 'HEAD');
  }
}

/** Starts a server on loopback for one test, and returns its address. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves a repository with git's own program for HTTP, and files of LFS beside it. Returns its address. */
export async function serveGit(repository: Repository, lfs: Record<string, string> = {}): Promise<string> {
  const objects = new Map(Object.values(lfs).map((content) => [hash('sha256', content), content]));
  const url: string = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (pathname.startsWith('/objects/')) {
      response.end(objects.get(pathname.slice('/objects/'.length)));
      return;
    }
    if (pathname === '/arms.git/info/lfs/objects/batch') {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const { objects: asked } = JSON.parse(Buffer.concat(pieces).toString());
        const answer = asked.map(({ oid, size }: { oid: string; size: number }) => ({
          ...{ oid, size },
          ...(objects.has(oid)
            ? { actions: { download: { href: `${url}/objects/${oid}` } } }
            : { error: { code: 404, message: 'not found' } }),
        }));
        response.setHeader('content-type', 'application/vnd.git-lfs+json');
        response.end(JSON.stringify({ objects: answer }));
      });
      return;
    }
    const backend = spawn('git', ['http-backend'], {
      env: {
        ...process.env,
        GIT_PROJECT_ROOT: repository.folder,
        GIT_HTTP_EXPORT_ALL: '1',
        REQUEST_METHOD: request.method,
        PATH_INFO: pathname.replace('/arms.git', '/.git'),
        QUERY_STRING: String(searchParams),
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'safe.directory',
        GIT_CONFIG_VALUE_0: '*',
      },
    });
    request.pipe(backend.stdin);
    const pieces: Buffer[] = [];
    backend.stdout.on('data', (piece: Buffer) => pieces.push(piece));
    backend.on('close', () => {
      const output = Buffer.concat(pieces);
      const end = output.indexOf('\r\n\r\n');
      for (const line of output.subarray(0, end).toString().split('\r\n')) {
        const [name = '', value = ''] = line.split(': ');
        if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
        else if (name) response.setHeader(name, value);
      }
      repository.sent.push(output.length - end - 4);
      response.end(output.subarray(end + 4));
    });
  });
  return `${url}/arms.git`;
}

/** Serves a folder with Python's own server, which lists folders. Returns its address. */
export async function serveFolder(folder: string): Promise<string> {
  const words = ['-u', '-m', 'http.server', '0', '--bind', '127.0.0.1', '--directory', folder];
  const server = spawn('python3', words, { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(async () => {
    server.kill();
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  });
  const [line] = await once(createInterface(server.stdout), 'line');
  return `http://127.0.0.1:${/port (\d+)/.exec(String(line))?.[1]}/`;
}

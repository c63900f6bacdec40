import { createReadStream, readdirSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** Compressed copies that the build stores next to a file, the smallest first. */
const ENCODINGS = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
];

/** The files of a built dashboard by their path below `/app`. Only files present at startup are served. */
export class BuiltFiles {
  readonly #folder: string;
  readonly #sizes: ReadonlyMap<string, number>;

  constructor(folder: string) {
    this.#folder = folder;
    this.#sizes = new Map(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [path.slice(folder.length + 1).replaceAll('\\', '/'), statSync(path).size]),
    );
  }

  has(path: string): boolean {
    return extname(path) in TYPES && this.#sizes.has(path);
  }

  /** Sends the file, in the smallest encoding that the client accepts. */
  send(request: FastifyRequest, reply: FastifyReply, path: string): FastifyReply {
    const accepted = request.headers['accept-encoding'] ?? '';
    const encoding = ENCODINGS.find(
      ({ name, extension }) =>
        new RegExp(`\\b${name}\\b`).test(accepted) && this.#sizes.has(path + extension),
    );
    const stored = path + (encoding?.extension ?? '');
    reply.header('vary', 'accept-encoding');
    if (encoding) reply.header('content-encoding', encoding.name);
    return reply
      .type(TYPES[extname(path)] ?? 'application/octet-stream')
      .header('content-length', this.#sizes.get(stored) ?? 0)
      .send(createReadStream(join(this.#folder, stored)));
  }
}

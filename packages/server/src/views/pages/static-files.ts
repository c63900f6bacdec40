import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

interface StaticFile {
  /** Contains the hash of the content, so that the file can be cached permanently. */
  path: string;
  type: string;
  content: Buffer;
}

export const STYLESHEET = staticFile('style.css', 'text/css; charset=utf-8');
export const ICON = staticFile('icon.svg', 'image/svg+xml');

export function staticFileViews(app: FastifyInstance): void {
  for (const { path, type, content } of [STYLESHEET, ICON]) {
    app.get(path, async (_request, reply) =>
      reply.type(type).header('cache-control', 'public, max-age=31536000, immutable').send(content),
    );
  }
}

function staticFile(name: string, type: string): StaticFile {
  const content = readFileSync(new URL(name, import.meta.url));
  const version = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return { path: `/pages/${version}/${name}`, type, content };
}

import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';

/** Throws `unsupported_media_type` if the body of a request is compressed, which no route accepts. */
export function requirePlainBody({ headers }: Pick<FastifyRequest, 'headers'>): void {
  const coding = headers['content-encoding'];
  if (coding === undefined || coding.split(',').every(isIdentity)) return;
  throw new ServiceError(
    'unsupported_media_type',
    `The body has the content coding "${coding.slice(0, 100)}". Send it uncompressed, without "Content-Encoding".`,
    { acceptEncoding: 'identity' },
  );
}

function isIdentity(coding: string): boolean {
  return /^\s*(identity)?\s*$/i.test(coding);
}

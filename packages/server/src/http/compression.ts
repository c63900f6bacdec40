import { constants } from 'node:zlib';
import fastifyCompress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/** Responses below this many bytes are not compressed. */
const THRESHOLD = 1_024;

/** Compresses JSON and text if the client accepts it, with fast settings, because it happens for every response. */
export async function compressResponses(app: FastifyInstance): Promise<void> {
  await app.register(fastifyCompress, {
    encodings: ['br', 'gzip', 'identity'],
    // Routes reject compressed bodies themselves, after they have checked access.
    globalDecompression: false,
    threshold: THRESHOLD,
    customTypes: /^(text\/(?!event-stream)|application\/(json|javascript)|image\/svg\+xml)/,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } },
    zlibOptions: { level: 2 },
  });
}

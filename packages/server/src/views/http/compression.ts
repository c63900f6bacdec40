import { constants } from 'node:zlib';
import fastifyCompress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/** Answers below this many bytes are sent as they are. */
const THRESHOLD = 1_024;

/** Compresses JSON and text where the client accepts it; quick settings, because it happens for every answer. */
export async function compressAnswers(app: FastifyInstance): Promise<void> {
  await app.register(fastifyCompress, {
    encodings: ['br', 'gzip', 'identity'],
    requestEncodings: ['identity'],
    threshold: THRESHOLD,
    customTypes: /^(text\/(?!event-stream)|application\/(json|javascript)|image\/svg\+xml)/,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } },
    zlibOptions: { level: 2 },
  });
}

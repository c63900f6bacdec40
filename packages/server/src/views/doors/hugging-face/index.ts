import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../context.ts';
import type { ServiceError } from '../../../errors.ts';
import { asServiceError } from '../../../http/errors.ts';
import { lfsViews } from './lfs.ts';
import { readViews } from './read.ts';
import { writeViews } from './write.ts';

/** Speaks the protocol of Hugging Face's clients below `/hf`, which is their `HF_ENDPOINT`. */
export async function huggingFaceViews(app: FastifyInstance, context: Context): Promise<void> {
  await app.register(async (apart) => {
    nameErrors(apart);
    readViews(apart, context);
    writeViews(apart, context);
    lfsViews(apart, context);
  });
}

/** Says in the headers that Hugging Face's clients read what is missing. Hidden and missing libraries are one. */
function nameErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, _request, reply) => {
    const failure = asServiceError(error);
    const code = codeOf(failure);
    if (code !== null) reply.header('x-error-code', code);
    const message =
      failure.code === 'invalid_token' ? 'Invalid credentials in Authorization header' : failure.message;
    reply.header('x-error-message', message.replace(/[^\x20-\x7e]/g, '?'));
    throw error;
  });
}

function codeOf({ code, details }: ServiceError): string | null {
  if (code !== 'not_found' && code !== 'unauthenticated') return null;
  if (details.missing === 'revision') return 'RevisionNotFound';
  return details.missing === 'path' ? 'EntryNotFound' : 'RepoNotFound';
}

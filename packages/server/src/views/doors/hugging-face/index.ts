import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../context.ts';
import { nameErrors } from './errors.ts';
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

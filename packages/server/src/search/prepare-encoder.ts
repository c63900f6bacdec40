import { isSemantic } from '../libraries/semantic.ts';
import type { Parts } from '../parts.ts';

/** Starts loading the model if any library has vectors made with it; otherwise no search will need it. */
export async function prepareEncoder({ db, encoder }: Pick<Parts, 'db' | 'encoder'>): Promise<void> {
  const { model } = encoder;
  if (model === null) return;
  const found = await db
    .selectFrom('libraries')
    .select(['vectors_model', 'vectors_dim'])
    .where('vectors_model', '=', model)
    .limit(1)
    .executeTakeFirst();
  if (found && isSemantic(model, found)) encoder.prepare();
}

import type { Context } from '../context.ts';
import { isSemantic } from '../libraries/read/library.ts';

/** Starts loading the model if any library has vectors made with it; otherwise no search will need it. */
export async function prepareEncoder({ db, encoder }: Context): Promise<void> {
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

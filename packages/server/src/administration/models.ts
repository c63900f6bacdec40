import type { ModelReport } from '@bindery/contract';
import { loadOperator } from '../access/operators.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Context } from '../context.ts';

/** Reports the model that encodes queries, and the models of the vectors of active libraries. */
export async function reportModels(
  { db, encoder, configuration }: Context,
  viewer: Viewer,
): Promise<ModelReport> {
  await loadOperator(db, viewer);
  const rows = await db
    .selectFrom('libraries')
    .select((eb) => [
      'vectors_model',
      eb.fn.countAll<number>().as('libraries'),
      eb.fn.sum<number>('asset_count').as('assets'),
    ])
    .where('state', '=', 'active')
    .groupBy('vectors_model')
    .orderBy('vectors_model')
    .execute();
  return {
    active: encoder.model,
    configured: configuration.encoder,
    libraries: rows.map(({ vectors_model: model, libraries, assets }) => ({
      model,
      libraries: Number(libraries),
      assets: Number(assets),
    })),
  };
}

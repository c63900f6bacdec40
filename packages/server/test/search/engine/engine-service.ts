import { expect, vi } from 'vitest';
import type { Configuration } from '../../../src/configuration/configuration.ts';
import type { TestService } from '../../service.ts';

/** The cluster of this run; empty where there is none. */
export const CLUSTER: string = process.env.BINDERY_TEST_OPENSEARCH ?? '';

export const WITH_ENGINE: Partial<Configuration> = { searchEngine: CLUSTER };

/** Waits until the engine has everything that was published. */
export async function fed({ context }: TestService): Promise<void> {
  const isFed = async () => expect(await waiting(context.db)).toEqual({ queued: 0, isComplete: true });
  await vi.waitFor(isFed, { timeout: 120_000, interval: 100 });
}

async function waiting(db: TestService['context']['db']) {
  const queued = await db.selectFrom('search_changes').select('library_id').execute();
  const index = await db.selectFrom('search_index').select(['name', 'mapping']).executeTakeFirst();
  return { queued: queued.length, isComplete: index !== undefined && index.name !== '' && index.mapping > 0 };
}

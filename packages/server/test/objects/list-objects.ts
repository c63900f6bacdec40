import type { Database } from '../../src/database/schema.ts';
import type { TestService } from '../service.ts';

/** The stores of all libraries in a database. */
export async function storeIds(db: Database): Promise<string[]> {
  const rows = await db.selectFrom('library_names').select('store_id').execute();
  return rows.map(({ store_id }) => store_id);
}

/** What the stores of a service list, as `<storeId> <sha256> <size>`. */
export async function listObjects({ context }: TestService): Promise<string[]> {
  const found: string[] = [];
  for (const storeId of await storeIds(context.db)) {
    for await (const { sha256, size } of context.objects.list(storeId)) {
      found.push(`${storeId} ${sha256} ${size}`);
    }
  }
  return found.sort();
}

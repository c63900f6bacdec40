import { LIMITS, type LoggedRegister } from '@bindery/contract';
import type { ReadableLibrary } from '../../access/libraries.ts';
import type { DatabaseContext } from '../../context.ts';

/** The last registers of a library, newest first. */
export async function readLog(
  { db }: DatabaseContext,
  { row, viewerCanManage }: ReadableLibrary,
): Promise<LoggedRegister[]> {
  const registers = await db
    .selectFrom('register_log')
    .leftJoin('accounts', 'accounts.id', 'register_log.registered_by')
    .selectAll('register_log')
    .select('accounts.user_name')
    .where('register_log.store_id', '=', row.store_id)
    .orderBy('register_log.revision', 'desc')
    .limit(LIMITS.loggedRegisters)
    .execute();
  return registers.map((register) => ({
    revision: register.revision,
    registeredAt: new Date(register.registered_at).toISOString(),
    registeredBy: viewerCanManage ? register.user_name : null,
    assetsAdded: register.assets_added,
    assetsRemoved: register.assets_removed,
    assetsChanged: register.assets_changed,
    assetCount: register.asset_count,
    fileCount: register.file_count,
    totalBytes: register.total_bytes,
  }));
}

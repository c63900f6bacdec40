import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MaintenanceContext } from '../../src/context.ts';

/** Everything in the folder of a disk store's objects, as `<storeId>/<sha256>`. */
export async function storedObjects(objectsFolder: string): Promise<string[]> {
  const found: string[] = [];
  for (const storeId of await readdir(join(objectsFolder, 'objects'))) {
    for (const shard of await readdir(join(objectsFolder, 'objects', storeId))) {
      const hashes = await readdir(join(objectsFolder, 'objects', storeId, shard));
      found.push(...hashes.map((sha256) => `${storeId}/${sha256}`));
    }
  }
  return found.sort();
}

/** Everything that the libraries of a service and their releases consist of now, as `<storeId>/<sha256>`. */
export async function referencedObjects({ db, revisions }: MaintenanceContext): Promise<string[]> {
  const named = new Set<string>();
  const libraries = await db.selectFrom('libraries').selectAll().execute();
  const releases = await db.selectFrom('releases').selectAll().execute();
  for (const row of [...libraries, ...releases]) {
    const { files } = await revisions.load({ storeId: row.store_id, sha256: row.index_sha256 });
    const hashes = Array.from({ length: files.count }, (_, at) => files.sha256(at));
    const { codes_sha256, artifacts_sha256, manifest_sha256, index_sha256 } = row;
    const others = [codes_sha256, artifacts_sha256, manifest_sha256, index_sha256];
    for (const sha256 of [...hashes, ...others.filter((one) => one !== null)]) {
      named.add(`${row.store_id}/${sha256}`);
    }
  }
  return [...named].sort();
}

import { randomUUID } from 'node:crypto';
import type { Database } from '../database/schema.ts';

/** Notes are filed at the root of a project. */
const ROOT_PATH = ',';

/** Creates the Note's Node in the project if there is none. */
export async function insertNode(trx: Database, noteId: string, projectId: string): Promise<void> {
  await trx
    .insertInto('nodes')
    .values({ id: randomUUID(), note_id: noteId, project_id: projectId, path: ROOT_PATH })
    .onConflict((conflict) => conflict.columns(['note_id', 'project_id']).doNothing())
    .execute();
}

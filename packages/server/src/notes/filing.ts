import { randomUUID } from 'node:crypto';
import type { Node } from '@bindery/contract';
import {
  loadNote,
  loadNoteForWrite,
  lockNoteForWrite,
  type NoteAddress,
  type ReadableNote,
} from '../access/notes.ts';
import {
  loadProject,
  loadProjectFor,
  type ProjectAddress,
  type ProjectRight,
  type ReadableProject,
} from '../access/projects.ts';
import { requireAccount, type Viewer } from '../access/viewer.ts';
import { actorOf, recordAudit } from '../audit/audit-log.ts';
import type { DatabaseContext } from '../context.ts';
import type { Database } from '../database/schema.ts';
import { ServiceError } from '../errors.ts';
import { describeNode, visibleNodes } from './nodes.ts';

type Filing = NoteAddress & ProjectAddress;

/** Files a Note in a project: both must be writable. Filing it again changes nothing. */
export async function fileNote(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  filing: Filing,
): Promise<Node> {
  return db.transaction().execute(async (trx) => {
    const { note, project } = await lockFiling('createContent', trx, viewer, filing);
    await insertNode(trx, note.row.id, project.row.id);
    const [made] = await visibleNodes(trx, viewer, note.row, project.row.id);
    if (!made) throw new Error('a Node that was just made cannot be read');
    await recordAudit(trx, clock(), actorOf(viewer), {
      action: 'note.file',
      namespace: { id: note.row.namespace_id, slug: filing.namespace },
      target: note.row.id,
      details: { project: project.row.slug },
    });
    return describeNode(made);
  });
}

/**
 * Removes a Note from a project. Throws `last_project` (409) if it is in no other project, counting those hidden from
 * the viewer.
 */
export async function unfileNote(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  filing: Filing,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { note, project } = await lockFiling('deleteContent', trx, viewer, filing);
    const nodes = await trx
      .selectFrom('nodes')
      .select('project_id')
      .where('note_id', '=', note.row.id)
      .execute();
    if (!nodes.some(({ project_id }) => project_id === project.row.id)) return;
    if (nodes.length === 1) {
      throw new ServiceError(
        'last_project',
        'This is the last project of the Note. File it elsewhere first.',
      );
    }
    await trx
      .deleteFrom('nodes')
      .where('note_id', '=', note.row.id)
      .where('project_id', '=', project.row.id)
      .execute();
    await recordAudit(trx, clock(), actorOf(viewer), {
      action: 'note.unfile',
      namespace: { id: note.row.namespace_id, slug: filing.namespace },
      target: note.row.id,
      details: { project: project.row.slug },
    });
  });
}

/**
 * Loads a Note and a project for a change of where the Note is filed. Throws 404 for either before 403 for the other.
 */
export async function loadFiling(
  right: ProjectRight,
  db: Database,
  viewer: Viewer,
  filing: Filing,
): Promise<{ note: ReadableNote; project: ReadableProject }> {
  const account = requireAccount(viewer);
  await loadNote(db, account, filing);
  await loadProject(db, account, filing);
  const note = await loadNoteForWrite(db, account, filing);
  return { note, project: await loadProjectFor(right, db, account, filing) };
}

/** Serialises changes to the Note: of two writers who remove it from its last two projects, the second is refused. */
async function lockFiling(right: ProjectRight, trx: Database, viewer: Viewer, filing: Filing) {
  const note = await lockNoteForWrite(trx, viewer, filing);
  return { note, project: await loadProjectFor(right, trx, viewer, filing) };
}

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

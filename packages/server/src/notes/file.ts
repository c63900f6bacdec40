import type { Node } from '@bindery/contract';
import { loadNote, lockNoteForWrite, type NoteAddress } from '../access/notes.ts';
import { loadProject, loadProjectFor, type ProjectAddress, type ProjectRight } from '../access/projects.ts';
import { requireAccount, type Viewer } from '../access/viewer.ts';
import { actorOf } from '../audit/actor.ts';
import { recordAudit } from '../audit/record.ts';
import type { DatabaseContext } from '../context.ts';
import type { Database } from '../database/schema.ts';
import { ServiceError } from '../errors.ts';
import { insertNode } from './insert-node.ts';
import { describeNode, visibleNodes } from './visible-nodes.ts';

export type Filing = NoteAddress & ProjectAddress;

/** Files a Note in a project: both must be writable. Filing it again changes nothing. */
export async function fileNote(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  filing: Filing,
  input: () => unknown,
): Promise<Node> {
  return db.transaction().execute(async (trx) => {
    const { note, project } = await loadBothForWrite(trx, viewer, filing, 'createContent');
    input();
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
    const { note, project } = await loadBothForWrite(trx, viewer, filing, 'deleteContent');
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

/** Serialises changes to the Note: of two writers who remove it from its last two projects, the second is refused. */
async function loadBothForWrite(trx: Database, viewer: Viewer, filing: Filing, right: ProjectRight) {
  const account = requireAccount(viewer);
  await loadNote(trx, account, filing);
  await loadProject(trx, account, filing);
  const note = await lockNoteForWrite(trx, account, filing);
  const project = await loadProjectFor(right, trx, account, filing);
  return { note, project };
}

import type { Bindr, LegacyBindr, LegacyBindrTree } from '@bindery/contract';
import { loadProject, type ProjectAddress } from '../access/projects.ts';
import type { Viewer } from '../access/viewer.ts';
import type { DatabaseContext } from '../context.ts';
import { selectBindrs } from './choices.ts';

/** Returns the whole tree of a project's Bindrs, for older clients. */
export async function bindrTree(
  { db }: DatabaseContext,
  viewer: Viewer,
  project: ProjectAddress,
  readQuery: () => unknown,
): Promise<LegacyBindrTree> {
  const { row } = await loadProject(db, viewer, project);
  readQuery();
  return { bindrs: treeOf(await selectBindrs(db).where('project_id', '=', row.id).execute()) };
}

/** Nests Bindrs below their parents; siblings stay in the given order. */
export function treeOf(bindrs: readonly Bindr[]): LegacyBindr[] {
  const nested = new Map<string, LegacyBindr>(
    bindrs.map(({ id, name, parentId }) => [id, { id, name, parentId, children: [] }]),
  );
  const roots: LegacyBindr[] = [];
  for (const bindr of nested.values()) {
    const parent = bindr.parentId === null ? undefined : nested.get(bindr.parentId);
    (parent?.children ?? roots).push(bindr);
  }
  return roots;
}

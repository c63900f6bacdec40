import type { Project } from '@bindery/contract';
import { loadProject, type ProjectAddress } from '../access/projects.ts';
import type { Viewer } from '../access/viewer.ts';
import type { DatabaseContext } from '../context.ts';
import { describeProject } from './describe.ts';

export async function readProject(
  { db }: DatabaseContext,
  viewer: Viewer,
  address: ProjectAddress,
): Promise<Project> {
  return describeProject(await loadProject(db, viewer, address));
}

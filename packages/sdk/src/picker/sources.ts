import type { Bindr, BindrChoicePage, ProjectEntry } from '@bindery/contract';
import { LIMITS, routes } from '@bindery/contract/wire';
import type { Caller } from '../client/call.ts';
import { type FetchPage, type Identity, Picker } from './picker.ts';

/** Returns the client for an identity: one without a token for an anonymous preview. */
export type ClientFor = (identity: Identity) => Caller;

export interface BindrQuery {
  namespace: string;
  projectSlug: string;
  search: string;
}

/** Creates a picker of the Bindrs that can be offered inside one project. */
export function createBindrPicker(identity: Identity, clientFor: ClientFor): Picker<BindrQuery, Bindr> {
  return new Picker(identity, async ({ query, after, identity: who, signal }) => {
    const { namespace, projectSlug, search } = query;
    const page = (await clientFor(who).call(routes.bindrs.listBindrs, {
      params: { namespace, projectSlug },
      query: { view: 'choices', search, ...(after === null ? {} : { after }) },
      signal,
    })) as BindrChoicePage;
    return { items: page.nodes, next: nextOf(page) };
  });
}

/** A Bindr with its ancestors, the topmost first. */
export interface BindrChoice extends Bindr {
  ancestors: readonly Bindr[];
}

/** Like `createBindrPicker`, with the ancestors of each Bindr, for a picker that shows them as a tree. */
export function createBindrTreePicker(
  identity: Identity,
  clientFor: ClientFor,
): Picker<BindrQuery, BindrChoice> {
  return new Picker(identity, async ({ query, after, identity: who, signal }) => {
    const { namespace, projectSlug, search } = query;
    const page = (await clientFor(who).call(routes.bindrs.listBindrs, {
      params: { namespace, projectSlug },
      query: {
        view: 'choices',
        search,
        ancestors: 'true',
        first: LIMITS.bindrChoices.max,
        ...(after === null ? {} : { after }),
      },
      signal,
    })) as BindrChoicePage;
    return { items: withAncestors(page), next: nextOf(page) };
  });
}

/** Returns the Bindrs of a page that was requested with `ancestors`, each with its own ancestors. */
export function withAncestors({ nodes, ancestors = [] }: BindrChoicePage): BindrChoice[] {
  const known = new Map([...ancestors, ...nodes].map((bindr) => [bindr.id, bindr]));
  const above = ({ parentId }: Bindr): Bindr[] => {
    const parent = parentId === null ? undefined : known.get(parentId);
    return parent ? [...above(parent), parent] : [];
  };
  return nodes.map((bindr) => ({ ...bindr, ancestors: above(bindr) }));
}

function nextOf({ pageInfo: { endCursor, hasNextPage } }: BindrChoicePage): string | null {
  return hasNextPage ? endCursor : null;
}

export interface ProjectQuery {
  namespace: string;
  search: string;
}

/** Creates a picker of the projects of a namespace that the viewer can read. */
export function createProjectPicker(
  identity: Identity,
  clientFor: ClientFor,
): Picker<ProjectQuery, ProjectEntry> {
  return new Picker(identity, fetchProjects(clientFor));
}

/** Returns projects that something can be added to: the viewer can create content there, and it is not yet there. */
export function candidateProjects(
  projects: readonly ProjectEntry[],
  nodes: readonly { projectNodeId: string }[],
): ProjectEntry[] {
  const associated = new Set(nodes.map(({ projectNodeId }) => projectNodeId));
  return projects.filter(({ id, permissions }) => permissions.content.create && !associated.has(id));
}

/** The catalog has numbered pages; the number of the next one serves as the cursor. */
function fetchProjects(clientFor: ClientFor): FetchPage<ProjectQuery, ProjectEntry> {
  return async ({ query, after, identity, signal }) => {
    const { namespace, search } = query;
    const page = await clientFor(identity).call(routes.projects.listProjects, {
      params: { namespace },
      query: { search, page: after ?? '1', pageSize: LIMITS.catalogPageSize.max },
      signal,
    });
    return {
      items: page.projects,
      next: page.page < page.totalPages ? String(page.page + 1) : null,
    };
  };
}

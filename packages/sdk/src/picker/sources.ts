import type { Bindr, BindrChoicePage, ProjectEntry } from '@bindery/contract';
import { LIMITS, routes } from '@bindery/contract/wire';
import type { Caller } from '../client/call.ts';
import type { Identity } from './page-cache.ts';
import { type FetchPage, Picker } from './picker.ts';

/** Answers the client that asks for somebody: without a token for an anonymous preview. */
export type ClientFor = (identity: Identity) => Caller;

export interface BindrQuery {
  namespace: string;
  projectSlug: string;
  search: string;
}

/** Which Bindrs may be offered inside one project. */
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

/** A Bindr with those above it, the topmost first. */
export interface BindrChoice extends Bindr {
  ancestors: readonly Bindr[];
}

/** The same with what is above each Bindr, for a picker that shows them as a tree. */
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

/** The Bindrs of a page that was asked for with `ancestors`, each with those above it. */
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

/** Which projects of a namespace may be used. */
export function createProjectPicker(
  identity: Identity,
  clientFor: ClientFor,
): Picker<ProjectQuery, ProjectEntry> {
  return new Picker(identity, fetchProjects(clientFor));
}

/** The projects to which something may be added: content may be made there, and it is not there already. */
export function candidateProjects(
  projects: readonly ProjectEntry[],
  nodes: readonly { projectNodeId: string }[],
): ProjectEntry[] {
  const associated = new Set(nodes.map(({ projectNodeId }) => projectNodeId));
  return projects.filter(({ id, permissions }) => permissions.content.create && !associated.has(id));
}

/** The catalog has numbered pages; the number of the next one serves as its beginning. */
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

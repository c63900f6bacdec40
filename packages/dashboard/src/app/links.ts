import { readQuery } from '@bindery/sdk/browser';
import type { LibraryKey } from './queries.ts';
import type { LibraryTab } from './url.ts';

/*
 * Where pages are, for `Link` and `navigate`. A library is read there as its key says: by its share token, at its release.
 */

type NamespaceSection = 'audit' | 'members' | 'notes' | 'projects' | 'trash' | 'webhooks';

export const toNamespace = (namespace: string) => ({ to: '/$namespace', params: { namespace } }) as const;

/** A page below a namespace's own. */
export const toSection = (namespace: string, section: NamespaceSection) =>
  ({ to: `/$namespace/-/${section}`, params: { namespace } }) as const;

export const toProject = (namespace: string, project: string) =>
  ({ to: '/$namespace/-/projects/$project', params: { namespace, project } }) as const;

export const toNote = (namespace: string, note: string) =>
  ({ to: '/$namespace/-/notes/$note', params: { namespace, note } }) as const;

/** A library's assets, or another of its tabs. */
export const toLibrary = ({ namespace, library, ...read }: LibraryKey, tab?: LibraryTab) =>
  ({
    to: '/$namespace/$library',
    params: { namespace, library },
    search: { ...readQuery(read), ...(tab !== undefined && { tab }) },
  }) as const;

export const toPush = ({ namespace, library }: LibraryKey) =>
  ({ to: '/$namespace/$library/-/push', params: { namespace, library } }) as const;

export const toCredits = ({ namespace, library, ...read }: LibraryKey) =>
  ({
    to: '/$namespace/$library/-/credits',
    params: { namespace, library },
    search: readQuery(read),
  }) as const;

/** What has changed from a version of a library, such as `7` or `@v1`, to another one, or else the newest revision. */
export const toComparison = ({ namespace, library, share }: LibraryKey, from: string, to?: string) =>
  ({
    to: '/$namespace/$library/-/compare',
    params: { namespace, library },
    search: { ...readQuery({ share }), from, ...(to !== undefined && { to }) },
  }) as const;

export const toAsset = ({ namespace, library, ...read }: LibraryKey, asset: string) =>
  ({
    to: '/$namespace/$library/$asset',
    params: { namespace, library, asset },
    search: readQuery(read),
  }) as const;

export const toProposal = (namespace: string, library: string, number: number) =>
  ({
    to: '/$namespace/$library/-/proposals/$number',
    params: { namespace, library, number: String(number) },
  }) as const;

/** An account, for operators. */
export const toUser = (user: string) => ({ to: '/-/admin/users/$user', params: { user } }) as const;

/** A namespace, for operators. */
export const toInspectedNamespace = (namespace: string) =>
  ({ to: '/-/admin/namespaces/$namespace', params: { namespace } }) as const;

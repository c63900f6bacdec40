import { routes } from '@bindery/contract/routes';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { answerOf } from '../connection.ts';
import { toAsset, toLibrary, toNamespace, toProject, toSection } from '../links.ts';
import { accountMessages } from '../messages/account.ts';
import { homeMessages } from '../messages/home.ts';
import { keysMessages, paletteMessages } from '../messages/palette.ts';
import { messages } from '../messages.ts';
import { useSignInAddress } from '../parts/notices.tsx';
import { librariesLikeQuery, namespacesQuery, sessionQuery } from '../queries.ts';
import { service, signOut } from '../session.ts';
import { useSettled } from '../use-settled.ts';
import { pressKeysShortcut } from './keys.ts';

/** A page to open, or an action to run. */
export interface Destination {
  id: string;
  kind: keyof typeof paletteMessages.kinds;
  label: string;
  detail: string;
  go: () => unknown;
}

/** Identifies a destination in a list. */
export const keyOf = ({ kind, id }: Destination) => `${kind} ${id}`;

/** The maximum results of each kind, and the maximum namespaces of the viewer that are searched for projects. */
const FEW = 6;
const MAX_NAMESPACES = 10;

/**
 * Returns what matches the typed text: pages, actions, libraries, projects, and assets from a search, and whether more
 * may still be found.
 */
export function useDestinations(text: string): { destinations: Destination[]; isSearching: boolean } {
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const signIn = useSignInAddress();
  const { data: own } = useQuery({ ...namespacesQuery, enabled: Boolean(session) });
  const namespaces = own?.namespaces.map(({ slug }) => slug) ?? [];
  const asked = useSettled(text);
  const { data: all, isFetching: isListing } = useQuery(librariesLikeQuery(asked));
  const libraries = all?.libraries ?? [];
  const found = useQuery(assetsQuery(asked));
  const picked = useQuery(projectsQuery(asked, namespaces.slice(0, MAX_NAMESPACES)));
  const [assets, projects] = [answerOf(found) ?? [], answerOf(picked) ?? []];

  const pages: Destination[] = [
    page('home', homeMessages.title, () => navigate({ to: '/' })),
    ...(session
      ? [
          page('account', messages.titles.account, () => navigate({ to: '/-/account' })),
          ...(session.isOperator
            ? [page('admin', messages.titles.admin, () => navigate({ to: '/-/admin' }))]
            : []),
          action('connect', accountMessages.connect, () => location.assign('/device')),
          action('sign-out', messages.signOut, () => signOut(session)),
        ]
      : [action('sign-in', messages.signIn, () => location.assign(signIn))]),
    // Once the palette has closed.
    action('keys', keysMessages.title, () => setTimeout(pressKeysShortcut)),
    ...namespaces.flatMap((namespace): Destination[] => [
      {
        id: namespace,
        kind: 'namespace',
        label: namespace,
        detail: '',
        go: () => navigate(toNamespace(namespace)),
      },
      page(`${namespace} projects`, paletteMessages.projectsOf(namespace), () =>
        navigate(toSection(namespace, 'projects')),
      ),
      page(`${namespace} notes`, paletteMessages.notesOf(namespace), () =>
        navigate(toSection(namespace, 'notes')),
      ),
    ]),
  ];
  const named: Destination[] = libraries.map(({ namespace, name, title }) => ({
    id: `${namespace}/${name}`,
    kind: 'library',
    label: title ?? name,
    detail: `${namespace}/${name}`,
    go: () => navigate(toLibrary({ namespace, library: name })),
  }));
  const destinations = [
    ...matching(pages, text),
    ...matching(named, text).slice(0, FEW),
    ...projects.map(
      ({ namespace, slug, displayName }): Destination => ({
        id: `${namespace} project ${slug}`,
        kind: 'project',
        label: displayName,
        detail: namespace,
        go: () => navigate(toProject(namespace, slug)),
      }),
    ),
    ...assets.map(
      ({ namespace, library, assetId, title }): Destination => ({
        id: `${namespace}/${library}/${assetId}`,
        kind: 'asset',
        label: title ?? assetId,
        detail: `${namespace}/${library}`,
        go: () => navigate(toAsset({ namespace, library }, assetId)),
      }),
    ),
  ];
  return { destinations, isSearching: asked !== text || isListing || found.isFetching || picked.isFetching };
}

function page(id: string, label: string, go: Destination['go']): Destination {
  return { id, kind: 'page', label, detail: '', go };
}

function action(id: string, label: string, go: Destination['go']): Destination {
  return { id, kind: 'action', label, detail: '', go };
}

/** Returns the items that contain every typed word, in the given order. */
export function matching<Named extends Pick<Destination, 'label' | 'detail'>>(
  items: readonly Named[],
  text: string,
): Named[] {
  const words = text.toLowerCase().split(/\s+/);
  return items.filter(({ label, detail }) => {
    const name = `${label} ${detail}`.toLowerCase();
    return words.every((word) => name.includes(word));
  });
}

const assetsQuery = (text: string) =>
  queryOptions({
    queryKey: ['palette', 'assets', text],
    queryFn: async ({ signal }) => {
      const query = { q: text, match: 'words' as const, limit: FEW };
      return (await service.call(routes.search.searchEverything, { query, signal })).hits;
    },
    placeholderData: keepPreviousData,
    enabled: text !== '',
  });

const projectsQuery = (text: string, namespaces: readonly string[]) =>
  queryOptions({
    queryKey: ['palette', 'projects', text, namespaces],
    queryFn: async ({ signal }) => {
      const query = { search: text, pageSize: FEW };
      const pages = await Promise.all(
        namespaces.map(async (namespace) => {
          const { projects } = await service.call(routes.projects.listProjects, {
            params: { namespace },
            query,
            signal,
          });
          return projects.map((project) => ({ ...project, namespace }));
        }),
      );
      return pages.flat().slice(0, FEW);
    },
    placeholderData: keepPreviousData,
    enabled: text !== '' && namespaces.length > 0,
  });

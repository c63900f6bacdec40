import { routes } from '@bindery/contract/wire';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type NavigateOptions, useNavigate } from '@tanstack/react-router';
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
  const place = (
    kind: Destination['kind'],
    id: string,
    label: string,
    detail: string,
    to: NavigateOptions,
  ): Destination => ({ kind, id, label, detail, go: () => navigate(to) });
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
    place('page', 'home', homeMessages.title, '', { to: '/' }),
    ...(session
      ? [
          place('page', 'account', messages.titles.account, '', { to: '/-/account' }),
          ...(session.isOperator
            ? [place('page', 'admin', messages.titles.admin, '', { to: '/-/admin' })]
            : []),
          action('connect', accountMessages.connect, () => location.assign('/device')),
          action('sign-out', messages.signOut, () => signOut(session)),
        ]
      : [action('sign-in', messages.signIn, () => location.assign(signIn))]),
    // Once the palette has closed.
    action('keys', keysMessages.title, () => setTimeout(pressKeysShortcut)),
    ...namespaces.flatMap((namespace) => [
      place('namespace', namespace, namespace, '', toNamespace(namespace)),
      ...(['projects', 'notes'] as const).map((section) => {
        const label = paletteMessages.sectionOf(messages.titles[section], namespace);
        return place('page', `${namespace} ${section}`, label, '', toSection(namespace, section));
      }),
    ]),
  ];
  const named = libraries.map(({ namespace, name, title }) => {
    const address = `${namespace}/${name}`;
    return place('library', address, title ?? name, address, toLibrary({ namespace, library: name }));
  });
  const destinations = [
    ...matching(pages, text),
    ...matching(named, text).slice(0, FEW),
    ...projects.map(({ namespace, slug, displayName }) =>
      place('project', `${namespace} project ${slug}`, displayName, namespace, toProject(namespace, slug)),
    ),
    ...assets.map(({ namespace, library, assetId, title }) => {
      const address = `${namespace}/${library}`;
      const to = toAsset({ namespace, library }, assetId);
      return place('asset', `${address}/${assetId}`, title ?? assetId, address, to);
    }),
  ];
  return { destinations, isSearching: asked !== text || isListing || found.isFetching || picked.isFetching };
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

import {
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  type RouteComponent,
  useMatch,
} from '@tanstack/react-router';
import { lazyPage } from './lazy-page.ts';
import { readAuditSearch } from './pages/audit/audit-search.ts';
import { readCompareSearch } from './pages/compare/version.ts';
import { Home } from './pages/home.tsx';
import { LibraryPage } from './pages/library/library-page.tsx';
import { NamespacePage } from './pages/namespace/namespace-page.tsx';
import { Layout } from './parts/layout.tsx';
import { FailureNotice, NotFound } from './parts/notices.tsx';
import {
  parseSearch,
  readAssetSearch,
  readHomeSearch,
  readLibrarySearch,
  readListSearch,
  readNewLibrarySearch,
  readPageSearch,
  readWebhookListSearch,
  stringifySearch,
} from './url.ts';

/** Every page has the dashboard around it, except one that another site has in a frame. */
function Frame() {
  const isEmbedded =
    useMatch({ from: '/embed/$namespace/$library/$asset', shouldThrow: false }) !== undefined;
  return isEmbedded ? <Outlet /> : <Layout />;
}

const root = createRootRoute({
  component: Frame,
  notFoundComponent: NotFound,
  errorComponent: ({ error, reset }) => <FailureNotice error={error} onRetry={reset} />,
});

type ReadSearch<Search> = (values: Record<string, unknown>) => Search;

/** A page at a path, and how its search parameters are read. */
function page<const Path extends string, Search extends object = object>(
  path: Path,
  component: RouteComponent,
  validateSearch: ReadSearch<Search> = () => ({}) as Search,
) {
  return createRoute({ getParentRoute: () => root, path, component, validateSearch });
}

/** A page whose code is fetched when it is first opened: what its module exports by that name. */
function lazy<const Path extends string, Name extends string, Search extends object = object>(
  path: Path,
  load: () => Promise<Record<Name, RouteComponent>>,
  name: Name,
  validateSearch?: ReadSearch<Search>,
) {
  return page(path, lazyPage(load, name), validateSearch);
}

const pages = [
  page('/', Home, readHomeSearch),
  lazy('/-/account', () => import('./pages/account/account-page.tsx'), 'AccountPage'),
  lazy('/-/admin', () => import('./pages/admin/overview-page.tsx'), 'OverviewPage'),
  lazy('/-/admin/users', () => import('./pages/admin/users-page.tsx'), 'UsersPage', readListSearch),
  lazy('/-/admin/users/$user', () => import('./pages/admin/user-page.tsx'), 'UserPage'),
  lazy(
    '/-/admin/namespaces',
    () => import('./pages/admin/namespaces-page.tsx'),
    'NamespacesPage',
    readListSearch,
  ),
  lazy(
    '/-/admin/namespaces/$namespace',
    () => import('./pages/admin/namespace-page.tsx'),
    'AdminNamespacePage',
  ),
  lazy(
    '/-/admin/webhooks',
    () => import('./pages/admin/webhooks-page.tsx'),
    'AdminWebhooksPage',
    readWebhookListSearch,
  ),
  lazy('/-/admin/audit', () => import('./pages/audit/audit-log.tsx'), 'AdminAuditPage', readAuditSearch),
  page('/$namespace', NamespacePage, readPageSearch),
  lazy('/$namespace/-/members', () => import('./pages/namespace/members-page.tsx'), 'MembersPage'),
  lazy(
    '/$namespace/-/audit',
    () => import('./pages/audit/audit-log.tsx'),
    'NamespaceAuditPage',
    readAuditSearch,
  ),
  lazy('/$namespace/-/webhooks', () => import('./pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  lazy('/$namespace/-/trash', () => import('./pages/namespace/trash-page.tsx'), 'TrashPage'),
  lazy(
    '/$namespace/-/projects',
    () => import('./pages/projects/projects-page.tsx'),
    'ProjectsPage',
    readListSearch,
  ),
  lazy(
    '/$namespace/-/projects/$project',
    () => import('./pages/projects/project-page.tsx'),
    'ProjectPage',
    readListSearch,
  ),
  lazy('/$namespace/-/notes', () => import('./pages/notes/notes-page.tsx'), 'NotesPage', readListSearch),
  lazy('/$namespace/-/notes/$note', () => import('./pages/notes/note-page.tsx'), 'NotePage'),
  lazy('/-/new', () => import('./pages/push/push-page.tsx'), 'NewLibraryPage', readNewLibrarySearch),
  lazy('/$namespace/$library/-/push', () => import('./pages/push/push-page.tsx'), 'PushPage'),
  lazy(
    '/$namespace/$library/-/credits',
    () => import('./pages/credits/credits-page.tsx'),
    'CreditsPage',
    readPageSearch,
  ),
  lazy(
    '/$namespace/$library/-/compare',
    () => import('./pages/compare/compare-page.tsx'),
    'ComparePage',
    readCompareSearch,
  ),
  lazy(
    '/$namespace/$library/-/proposals/$number',
    () => import('./pages/proposals/proposal-page.tsx'),
    'ProposalPage',
  ),
  page('/$namespace/$library', LibraryPage, readLibrarySearch),
  lazy(
    '/$namespace/$library/$asset',
    () => import('./pages/asset/asset-page.tsx'),
    'AssetPage',
    readAssetSearch,
  ),
  lazy(
    '/embed/$namespace/$library/$asset',
    () => import('./pages/asset/embed-page.tsx'),
    'EmbedPage',
    readAssetSearch,
  ),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(pages),
  basepath: '/app',
  // What a page holds belongs to the library, project or namespace in its address, not to the next one shown.
  defaultRemountDeps: ({ params }) => params,
  parseSearch,
  stringifySearch,
  // Search parameters that a page does not declare are ignored.
  search: { strict: true },
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

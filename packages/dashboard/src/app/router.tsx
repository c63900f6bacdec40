import { createRootRoute, createRoute, createRouter, Outlet, useMatch } from '@tanstack/react-router';
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

const pages = [
  createRoute({
    getParentRoute: () => root,
    path: '/',
    validateSearch: readHomeSearch,
    component: Home,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/-/account',
    component: lazyPage(() => import('./pages/account/account-page.tsx'), 'AccountPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/-/admin',
    component: lazyPage(() => import('./pages/admin/overview-page.tsx'), 'OverviewPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/-/admin/users',
    validateSearch: readListSearch,
    component: lazyPage(() => import('./pages/admin/users-page.tsx'), 'UsersPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/-/admin/users/$user',
    component: lazyPage(() => import('./pages/admin/user-page.tsx'), 'UserPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/-/admin/namespaces',
    validateSearch: readListSearch,
    component: lazyPage(() => import('./pages/admin/namespaces-page.tsx'), 'NamespacesPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/-/admin/namespaces/$namespace',
    component: lazyPage(() => import('./pages/admin/namespace-page.tsx'), 'AdminNamespacePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/-/admin/webhooks',
    validateSearch: readWebhookListSearch,
    component: lazyPage(() => import('./pages/admin/webhooks-page.tsx'), 'AdminWebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/-/admin/audit',
    validateSearch: readAuditSearch,
    component: lazyPage(() => import('./pages/audit/audit-log.tsx'), 'AdminAuditPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/$namespace',
    validateSearch: readPageSearch,
    component: NamespacePage,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/$namespace/-/members',
    component: lazyPage(() => import('./pages/namespace/members-page.tsx'), 'MembersPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/$namespace/-/audit',
    validateSearch: readAuditSearch,
    component: lazyPage(() => import('./pages/audit/audit-log.tsx'), 'NamespaceAuditPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/$namespace/-/webhooks',
    component: lazyPage(() => import('./pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/$namespace/-/trash',
    component: lazyPage(() => import('./pages/namespace/trash-page.tsx'), 'TrashPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/$namespace/-/projects',
    validateSearch: readListSearch,
    component: lazyPage(() => import('./pages/projects/projects-page.tsx'), 'ProjectsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/$namespace/-/projects/$project',
    validateSearch: readListSearch,
    component: lazyPage(() => import('./pages/projects/project-page.tsx'), 'ProjectPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/$namespace/-/notes',
    validateSearch: readListSearch,
    component: lazyPage(() => import('./pages/notes/notes-page.tsx'), 'NotesPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/$namespace/-/notes/$note',
    component: lazyPage(() => import('./pages/notes/note-page.tsx'), 'NotePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/-/new',
    validateSearch: readNewLibrarySearch,
    component: lazyPage(() => import('./pages/push/push-page.tsx'), 'NewLibraryPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/$namespace/$library/-/push',
    component: lazyPage(() => import('./pages/push/push-page.tsx'), 'PushPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/$namespace/$library/-/credits',
    validateSearch: readPageSearch,
    component: lazyPage(() => import('./pages/credits/credits-page.tsx'), 'CreditsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/$namespace/$library/-/compare',
    validateSearch: readCompareSearch,
    component: lazyPage(() => import('./pages/compare/compare-page.tsx'), 'ComparePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/$namespace/$library',
    validateSearch: readLibrarySearch,
    component: LibraryPage,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/$namespace/$library/$asset',
    validateSearch: readAssetSearch,
    component: lazyPage(() => import('./pages/asset/asset-page.tsx'), 'AssetPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/embed/$namespace/$library/$asset',
    validateSearch: readAssetSearch,
    component: lazyPage(() => import('./pages/asset/embed-page.tsx'), 'EmbedPage'),
  }),
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

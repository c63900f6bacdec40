import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import { Home } from './pages/home.tsx';
import { LibraryPage } from './pages/library/library-page.tsx';
import { NamespacePage } from './pages/namespace.tsx';
import { FailureNotice } from './parts/failure.tsx';
import { Layout } from './parts/layout.tsx';
import { Missing } from './parts/missing.tsx';
import { parseSearch, readPageSearch, stringifySearch } from './url.ts';

const root = createRootRoute({
  component: Layout,
  notFoundComponent: Missing,
  errorComponent: ({ error, reset }) => <FailureNotice error={error} onRetry={reset} />,
});

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: readPageSearch,
  component: Home,
});

const namespace = createRoute({
  getParentRoute: () => root,
  path: '/$namespace',
  validateSearch: readPageSearch,
  component: NamespacePage,
});

const library = createRoute({
  getParentRoute: () => root,
  path: '/$namespace/$library',
  validateSearch: readPageSearch,
  component: LibraryPage,
});

const asset = createRoute({
  getParentRoute: () => root,
  path: '/$namespace/$library/$asset',
  validateSearch: readPageSearch,
  // Whoever came by a share link keeps it on the way through the library.
  search: { middlewares: [retainSearchParams(['share'])] },
  component: lazyRouteComponent(() => import('./pages/asset/asset-page.tsx'), 'AssetPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([home, namespace, library, asset]),
  basepath: '/app',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

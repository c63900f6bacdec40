import { fileURLToPath } from 'node:url';
import type { Route } from '@bindery/contract';
import type { Plugin } from 'vite';

const ROUTES = fileURLToPath(import.meta.resolve('@bindery/contract/routes'));

/**
 * Bundles only what the client needs of the contract's routes: method, path, authentication and success status. Their
 * schemas would add a library of 27 kB, which the client never uses.
 */
export function routesWithoutSchemas(): Plugin {
  return {
    name: 'routes-without-schemas',
    enforce: 'pre',
    async load(id) {
      if (id !== ROUTES) return null;
      const { routes } = await import('@bindery/contract/routes');
      const plain = Object.entries(routes).map(([group, entries]) => [
        group,
        Object.fromEntries(
          Object.entries(entries)
            .filter((entry): entry is [string, Route] => isRoute(entry[1]))
            .map(([name, { method, path, authentication, success }]) => [
              name,
              { method, path, authentication, success },
            ]),
        ),
      ]);
      return `export const routes = ${JSON.stringify(Object.fromEntries(plain))};`;
    },
  };
}

function isRoute(entry: unknown): entry is Route {
  return typeof entry === 'object' && entry !== null && 'method' in entry;
}

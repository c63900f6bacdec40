import { endpoints } from './endpoints.ts';
import type { CallOf, Route } from './route.ts';
import type { routes } from './routes/index.ts';

type CallsOf<Resource> = {
  [Name in keyof Resource as Resource[Name] extends Route ? Name : never]: Resource[Name] extends Route
    ? CallOf<Resource[Name]>
    : never;
};

/** Every route for its callers: typed by the schemas, none of which is loaded. */
export const calls: { [Name in keyof typeof routes]: CallsOf<(typeof routes)[Name]> } = endpoints;

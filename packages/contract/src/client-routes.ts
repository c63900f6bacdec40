import { endpoints } from './endpoints.ts';
import type { ClientRoute, Route } from './route.ts';
import type { routes } from './routes/index.ts';

type ClientRoutesOf<Resource> = {
  [Name in keyof Resource as Resource[Name] extends Route ? Name : never]: Resource[Name] extends Route
    ? ClientRoute<Resource[Name]>
    : never;
};

/** Every route as callers see it: typed by the schemas, without loading them. */
export const clientRoutes: { [Name in keyof typeof routes]: ClientRoutesOf<(typeof routes)[Name]> } =
  endpoints;

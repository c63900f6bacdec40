import { endpoints } from './endpoints.ts';
import type { CallOf, Route } from './route.ts';
import type { routes } from './routes/index.ts';

type CallsOf<Resource> = {
  [Name in keyof Resource as Resource[Name] extends Route ? Name : never]: Resource[Name] extends Route
    ? CallOf<Resource[Name]>
    : never;
};

/** Every route as callers see it: typed by the schemas, without loading them. */
export const calls: { [Name in keyof typeof routes]: CallsOf<(typeof routes)[Name]> } = endpoints;

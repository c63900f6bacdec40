import type { Route } from '../route.ts';
import * as admin from './admin.ts';
import * as adminWebhooks from './admin-webhooks.ts';
import * as bindrs from './bindrs.ts';
import * as libraries from './libraries.ts';
import * as login from './login.ts';
import * as namespaces from './namespaces.ts';
import * as notes from './notes.ts';
import * as projects from './projects.ts';
import * as proposals from './proposals.ts';
import * as releases from './releases.ts';
import * as search from './search.ts';
import * as service from './service.ts';
import * as signatures from './signatures.ts';
import * as uploads from './uploads.ts';
import * as watches from './watches.ts';
import * as webhooks from './webhooks.ts';

/** Every route of the service by resource. */
export const routes = {
  service,
  login,
  namespaces,
  libraries,
  releases,
  signatures,
  uploads,
  proposals,
  watches,
  search,
  projects,
  notes,
  bindrs,
  webhooks,
  admin,
  adminWebhooks,
};

/** The same as one list, in the order in which the documentation shows them. */
export const allRoutes: readonly Route[] = Object.values(routes)
  .flatMap((resource) => Object.values(resource))
  .filter((value): value is Route => typeof value === 'object' && value !== null && 'method' in value);

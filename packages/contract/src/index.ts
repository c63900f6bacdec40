export * from './account.ts';
export * from './bundle.ts';
export * from './collaboration.ts';
export * from './errors.ts';
export * from './json-pointer.ts';
export * from './library.ts';
export * from './limits.ts';
export * from './manifest/index.ts';
export * from './names.ts';
export * from './pace.ts';
export * from './parameters.ts';
export { describeReceived } from './received.ts';
export * from './route.ts';
export { allRoutes, routes } from './routes/index.ts';
export { MANIFEST_HEADER } from './routes/libraries.ts';
export type { ServiceToken } from './routes/login.ts';
export type { PageQuery } from './routes/projects.ts';
export {
  type FacetCounts,
  SEMANTIC_HEADER,
  SEMANTIC_REASONS,
  type SearchFilters,
  type SemanticReason,
} from './routes/search.ts';
export * from './transfer.ts';
export * from './utf8.ts';

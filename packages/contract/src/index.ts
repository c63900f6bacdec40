export * from './account.ts';
export * from './administration.ts';
export * from './audit.ts';
export * from './audit-actions.ts';
export * from './bundle.ts';
export * from './certificate.ts';
export * from './collaboration.ts';
export * from './derived-words.ts';
export { describeReceived } from './describe-received.ts';
export * from './descriptors.ts';
export * from './doors.ts';
export * from './errors.ts';
export * from './headers.ts';
export { inputRule } from './input-rules.ts';
export * from './json-pointer.ts';
export * from './library.ts';
export * from './license-classes.ts';
export * from './limits.ts';
export * from './manifest/index.ts';
export * from './minimum-rate.ts';
export * from './name-schemas.ts';
export * from './names.ts';
export * from './namespace-roles.ts';
export * from './parameters.ts';
export * from './route.ts';
export { allRoutes, routes } from './routes/index.ts';
export type { AssetChange, LibraryHistory, LoggedRegister, RevisionChanges } from './routes/libraries.ts';
export type { ServiceToken } from './routes/login.ts';
export type { PageQuery } from './routes/projects.ts';
export type { Proposal, ProposalCheck, ProposalSummary } from './routes/proposals.ts';
export type { Release } from './routes/releases.ts';
export type {
  AskedFilters,
  Completions,
  EmptyingFilters,
  FacetCounts,
  RelevanceFacets,
  SearchFilters,
  SearchMatch,
  SearchSort,
  SimilarAssets,
  SimilarHit,
  UnderstoodPart,
} from './routes/search.ts';
export type { Watch } from './routes/watches.ts';
export * from './search-filters.ts';
export * from './statistics.ts';
export * from './transfer.ts';
export * from './utf8.ts';
export * from './watch-schedules.ts';
export * from './webhook-events.ts';
export * from './webhooks.ts';

/** The contract for callers: everything but the schemas, which take longer to load than most commands take to run. */

export * from './audit-actions.ts';
export * from './bundle.ts';
export * from './certificate.ts';
export { clientRoutes as routes } from './client-routes.ts';
export * from './derived-words.ts';
export { describeReceived } from './describe-received.ts';
export * from './descriptors.ts';
export * from './doors.ts';
export * from './errors.ts';
export * from './headers.ts';
export * from './json-pointer.ts';
export * from './license-classes.ts';
export * from './limits.ts';
export * from './manifest/compose.ts';
export { findPathsBelowFiles } from './manifest/conflicts.ts';
export * from './manifest/defaults.ts';
export * from './manifest/digest.ts';
export * from './manifest/embedding-text.ts';
export * from './manifest/paths.ts';
export * from './minimum-rate.ts';
export * from './names.ts';
export * from './namespace-roles.ts';
export * from './search-filters.ts';
export * from './statistics.ts';
export * from './utf8.ts';
export * from './watch-schedules.ts';
export * from './webhook-events.ts';

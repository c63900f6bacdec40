/** The contract for callers: everything but the schemas, which take longer to load than most commands take to run. */

export * from './audit-actions.ts';
export * from './bundle.ts';
export { calls as routes } from './calls.ts';
export * from './errors.ts';
export * from './headers.ts';
export * from './json-pointer.ts';
export * from './limits.ts';
export { filesInFiles } from './manifest/conflicts.ts';
export * from './manifest/defaults.ts';
export * from './manifest/digest.ts';
export * from './manifest/paths.ts';
export * from './names.ts';
export * from './namespace-roles.ts';
export * from './pace.ts';
export { describeReceived } from './received.ts';
export * from './utf8.ts';
export * from './webhook-events.ts';

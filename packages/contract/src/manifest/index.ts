export * from './digest.ts';
export * from './paths.ts';
export * from './schema.ts';

import { DESCRIPTOR_BYTES, DESCRIPTOR_VERSION, type Route } from '@bindery/contract';
import type { z } from 'zod';

/** Values of path parameters by name. */
export type Identifiers = Record<string, string>;

/** Names of the parameters in a route's path. */
export function parameterNames(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
}

/** The path with its parameters filled in, encoded. Throws for a parameter that has no value. */
export function fill(path: string, identifiers: Identifiers): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = identifiers[name];
    if (value === undefined) throw new Error(`No value for the parameter ${name} of ${path}`);
    return encode(value);
  });
}

/** Percent-encoded, lone surrogates included. */
export function encode(text: string): string {
  return [...text]
    .map((character) => (character.isWellFormed() ? encodeURIComponent(character) : '%ED%A0%80'))
    .join('');
}

/** Bodies of which at least one suits every route that takes one. */
const BODIES: unknown[] = [
  null,
  { visibility: 'private' },
  { files: [{ relativePath: 'a/b.txt', size: 1 }] },
  { parts: [] },
  { paths: ['a/b.txt'] },
  { texts: ['a mug'] },
  { version: DESCRIPTOR_VERSION, model: Buffer.alloc(DESCRIPTOR_BYTES.model).toString('base64') },
  { assets: ['mug'] },
  { statement: 'bindery signature log\n', signature: 'none' },
  { title: 'Lighter arm', changes: { base: 'a'.repeat(64) } },
  { text: 'Does it fit?' },
  { source: 'https://source.invalid/', every: 'daily' },
  { userName: 'newcomer', email: 'newcomer@example.org', password: 'correct horse battery' },
  { email: 'guest@example.org' },
  { role: 'member' },
  { role: 'reader' },
  { url: 'https://receiver.invalid/hook' },
  { paused: true },
  { slug: 'new-team' },
  { displayName: 'New name' },
  { name: 'New name' },
  { name: 'v1' },
  { currentPassword: 'wrong horse battery', newPassword: 'another horse battery' },
  { disabled: true },
  { bytes: 1_000_000_000 },
  { to: 'none' },
  { device_secret_hash: 'a'.repeat(64) },
  { name: 'simulation', state: 'passed' },
];

/** A body that the route takes; null where it takes none. */
export function bodyFor({ method, path, body }: Route): unknown {
  const suitable = BODIES.find((candidate) => body.safeParse(candidate).success);
  if (suitable === undefined) throw new Error(`No body here suits ${method} ${path}; add one.`);
  return suitable;
}

/** The keys that a schema of an object knows. */
export function keysOf(schema: z.ZodType): string[] {
  const { shape } = schema as { shape?: Record<string, unknown> };
  return Object.keys(shape ?? {});
}

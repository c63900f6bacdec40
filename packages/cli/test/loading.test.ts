import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService } from '../../server/test/service.ts';

const BINDERY = fileURLToPath(new URL('../bin/bindery.js', import.meta.url));
const RECORDER = pathToFileURL(fileURLToPath(new URL('./record-modules.ts', import.meta.url))).href;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bindery-loading-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The packages that a command loads, by name. */
async function packagesOf(...words: string[]): Promise<Set<string>> {
  return packagesWith({}, ...words);
}

async function packagesWith(environment: Record<string, string>, ...words: string[]): Promise<Set<string>> {
  const record = join(folder, 'modules.txt');
  await rm(record, { force: true });
  const env = { ...process.env, RECORD_MODULES: record, ...environment };
  await promisify(execFile)(process.execPath, ['--import', RECORDER, BINDERY, ...words], { env });
  const names = (await readFile(record, 'utf8')).matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)\/[^\n]*\n/g);
  return new Set(names.map(([, name = '']) => name));
}

test('what an operator does loads nothing that serves requests', async () => {
  const words = ['admin', 'create-invitation', '--data-dir', join(folder, 'data')];
  const loaded = await packagesOf(...words);
  expect(loaded).toContain('kysely');
  for (const name of ['fastify', 'graphql', 'better-auth', 'usearch']) expect(loaded).not.toContain(name);
});

test('help loads neither a client nor a service', async () => {
  const loaded = await packagesOf('--help');
  expect(loaded).toContain('commander');
  for (const name of ['undici', 'kysely']) expect(loaded).not.toContain(name);
});

test('what only reads libraries loads nothing that writes them', async () => {
  const service = await startService();
  try {
    const config = join(folder, 'config');
    const words = ['library', 'list', '--all', '--api-url', service.url];
    const loaded = await packagesWith({ BINDERY_CONFIG_DIR: config, BINDERY_NO_KEYCHAIN: '1' }, ...words);
    expect(loaded).toContain('zod');
    for (const name of ['undici', 'yaml', 'piscina']) expect(loaded).not.toContain(name);
  } finally {
    await service.close();
  }
});

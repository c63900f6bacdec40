import fs from 'node:fs';
import type { LibraryDetail } from '@bindery/contract';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { XFS } from '../../src/adapters/objects/disk/file-systems.ts';
import { FlushCommand } from '../objects/flush-command.ts';
import { startService, type TestService } from '../service.ts';
import { Publisher } from './publisher.ts';

const FILES = 70;

let command: FlushCommand;
let service: TestService;
let scans: Publisher;

beforeEach(async () => {
  command = new FlushCommand();
  const { statfs } = fs.promises;
  vi.spyOn(fs.promises, 'statfs').mockImplementation((async (path: string) =>
    Object.assign(await statfs(path), { type: XFS })) as typeof statfs);
  vi.stubEnv('PATH', command.path);
  service = await startService();
  scans = new Publisher(await service.member('ada'), 'ada', 'scans');
});
afterEach(async () => {
  await service.close();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  command.remove();
});

function scansOf(revision: string): Record<string, string> {
  const names = Array.from({ length: FILES }, (_, at) => `scan-${at}.stl`);
  return Object.fromEntries(names.map((name) => [name, `${revision} of ${name}`]));
}

async function revision(): Promise<number | undefined> {
  const { body } = await scans.actor.get<LibraryDetail>(scans.path);
  return body.revision;
}

test.each([
  ['reports lost writes', 5, 500],
  ['finds the disk full', 28, 507],
  ['ends', 'ends', 503],
] as const)('if the flush %s, a register publishes nothing; the next one does', async (_, answer, status) => {
  command.answer(0, 0, answer);
  expect((await scans.publish(scansOf('first'))).status).toBe(201);
  const before = await revision();
  expect((await scans.publish(scansOf('second'))).status).toBe(status);
  expect(await revision()).toBe(before);

  expect((await scans.register()).status).toBe(200);
  expect(await revision()).not.toBe(before);
  expect(command.flushes).toBe(3);
});

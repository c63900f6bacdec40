import { execFile } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { startService } from '../../server/test/service.ts';
import { Bindery } from '../src/index.ts';
import { temporaryFolder } from './folder.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

test('the example in the README runs as printed', async () => {
  const service = await startService();
  onTestFinished(() => service.close());
  const ada = await service.member('ada');
  await publish(ada, 'ada/workshop', { assets: [{ id: 'mug', files: { 'mug.obj': 'v 0 0 0' } }] });
  const folder = temporaryFolder();
  symlinkSync(MODULES, join(folder, 'node_modules'));
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(README) ?? [];
  expect(example).toContain('http://127.0.0.1:7420');
  writeFileSync(join(folder, 'example.mts'), example.replace('http://127.0.0.1:7420', service.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['example.mts'], {
    cwd: folder,
    env: { HOME: folder, BINDERY_TOKEN: ada.headers.authorization?.replace('Bearer ', '') },
  });
  expect(stdout).toBe('revision 1: 1 files fetched and verified\n');
  expect(existsSync(join(folder, 'workshop/mug.obj'))).toBe(true);
});

test('the methods in the README are those of Bindery', () => {
  const listed = [...README.matchAll(/^\| `(\w+)\(/gm)].map(([, name]) => name);
  const methods = Object.getOwnPropertyNames(Bindery.prototype).filter((name) => name !== 'constructor');
  expect(listed.sort()).toEqual(methods.filter((name) => name !== 'close').sort());
});

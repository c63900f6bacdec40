import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startService, type TestService } from '../../server/test/service.ts';
import { storeToken } from '../src/credentials/stored-login.ts';
import { Bindery, BinderyError } from '../src/index.ts';
import { folderWith, temporaryFolder } from './folder.ts';

const VARIABLES = [
  'HOME',
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
  'XDG_STATE_HOME',
  'BINDERY_TOKEN',
  'BINDERY_NO_KEYCHAIN',
];

let service: TestService;
let bindery: Bindery;
let home: string;
let before: Record<string, string | undefined>;

beforeEach(async () => {
  service = await startService();
  home = temporaryFolder();
  before = Object.fromEntries(VARIABLES.map((name) => [name, process.env[name]]));
  for (const name of VARIABLES) delete process.env[name];
  Object.assign(process.env, { HOME: home, BINDERY_NO_KEYCHAIN: '1' });
  const ada = await service.member('ada');
  const folder = join(home, '.config/bindery');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({ remote_url: service.url, login_url: service.url }),
  );
  const token = ada.headers.authorization?.replace('Bearer ', '') ?? '';
  await storeToken(token, { folder, environment: process.env, warn() {} });
  bindery = new Bindery();
});

afterEach(async () => {
  await bindery.close();
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await service.close();
});

test('Bindery publishes, finds, describes, pulls, compares, releases and syncs with the stored login and folders', async () => {
  const source = folderWith({ 'mug/mug.obj': 'v 0 0 0', 'bindery.yml': 'assets: {mug: {title: Blue mug}}' });
  expect(await bindery.push(source, 'ada/workshop')).toMatchObject({ status: 'published', revision: 1 });
  const { hits } = await bindery.search('blue', { libraries: ['ada/workshop'] });
  expect(hits).toMatchObject([{ namespace: 'ada', library: 'workshop', assetId: 'mug' }]);
  expect(await bindery.info('ada/workshop')).toMatchObject({
    assetCount: 1,
    semanticReason: 'encoder-unavailable',
  });
  expect(await bindery.info('ada/workshop/mug')).toMatchObject({ id: 'mug', title: 'Blue mug' });
  const target = join(home, 'workshop');
  expect(await bindery.stat('ada/workshop', target)).toMatchObject({ status: 'absent' });
  expect(await bindery.release('ada/workshop', 'v1')).toMatchObject({ name: 'v1', revision: 1 });
  expect(await bindery.pull('ada/workshop@v1', target)).toMatchObject({ revision: 1 });
  expect(readFileSync(join(target, 'mug/mug.obj'), 'utf8')).toBe('v 0 0 0');
  const project = folderWith({ 'assets.yml': 'assets: [ada/workshop@v1/mug]\n' });
  expect(await bindery.sync(project)).toMatchObject({ cached: { files: 1 }, fetched: { files: 0 } });
});

test('its failures are BinderyErrors, whoever causes them', async () => {
  const failures = [
    [() => bindery.pull('workshop'), 'invalid_address'],
    [() => bindery.push('.', 'ada/workshop/mug'), 'invalid_address'],
    [() => bindery.info('ada/nothing'), 'not_found'],
    [() => bindery.push(join(home, 'nowhere'), 'ada/workshop'), 'folder'],
    [() => bindery.sync(home), 'no_project'],
    [() => new Bindery({ server: 'http://127.0.0.1:9' }).info('ada/workshop'), 'network'],
    [() => new Bindery({ server: 'workshop' }).info('ada/workshop'), 'invalid_address'],
    [() => new Bindery({ token: null }).push(folderWith({ 'a/a.obj': 'v' }), 'ada/other'), 'not_found'],
  ] as const;
  for (const [failure, code] of failures) {
    const error = await failure().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(BinderyError);
    expect((error as BinderyError).code).toBe(code);
  }
});

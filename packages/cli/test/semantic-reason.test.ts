import { removeModel } from '@bindery/encoder';
import { afterEach, expect, test, vi } from 'vitest';
import { SMALL_MODEL } from '../../encoder/test/small-model.ts';
import type { ActiveEncoderOptions } from '../../server/src/adapters/encoder/active-encoder.ts';
import { QUERY_LIMITS } from '../../server/src/adapters/encoder/loaded-model.ts';
import { ModelWorld, TIMEOUT } from '../../server/test/search/model-world.ts';
import { createTerminalUser, type TerminalUser } from './command-line.ts';

vi.setConfig({ testTimeout: 3 * TIMEOUT });

let world: ModelWorld;
let ada: TerminalUser;

afterEach(async () => {
  await ada.dispose();
  await world.close();
});

async function open(options: Partial<ActiveEncoderOptions> = {}): Promise<void> {
  world = await ModelWorld.open(options);
  const { authorization = '' } = world.ada.headers;
  ada = (await createTerminalUser(world.service.url)).with({
    BINDERY_TOKEN: authorization.replace('Bearer ', ''),
  });
}

/** What `bindery library info` says of a library's search. */
async function reasonOf(library: string): Promise<string> {
  const info = await ada.run('library', 'info', `ada/${library}`, '--json');
  expect(info).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(info.stdout).semanticReason;
}

test('library info says whether semantic search is on, and why not', async () => {
  await open();
  expect(await reasonOf('home')).toBe('encoder-unavailable');
  await world.install('small');
  await expect.poll(() => world.reasonOf('home')).toBe('on');
  expect(await reasonOf('home')).toBe('on');
  expect(await reasonOf('other')).toBe('model-mismatch');
  expect(await reasonOf('plain')).toBe('no-sidecar');
  const on = await ada.run('library', 'info', 'ada/home');
  expect(on.stdout).toMatch(/semantic search +on\n/);
  expect(on.stderr).toMatch(
    /If the service changes its model, this library is searched by keyword until .*--embed/,
  );
  const { stdout } = await ada.run('library', 'info', 'ada/other');
  expect(stdout).toMatch(
    /semantic search +off \(model-mismatch: the vectors were computed with a different model .*--embed/,
  );
  await removeModel(world.models, SMALL_MODEL);
  await expect.poll(() => world.reasonOf('home')).toBe('encoder-unavailable');
  expect(await reasonOf('home')).toBe('encoder-unavailable');
});

test('library info keeps working however the model fails, and reports encoder-unavailable once it is paused', async () => {
  // The model fails before a search gives up waiting for it, however long it takes to load.
  const limits = { ...QUERY_LIMITS, waitLimit: TIMEOUT };
  await open({ timeLimit: 1_000, limits });
  for (const [kind, outcome] of [
    ['throws', 'failed'],
    ['not a number', 'output'],
    ['too narrow', 'output'],
    ['hangs', 'time'],
    ['no model at all', 'damaged'],
  ] as const) {
    await world.install(kind);
    world.outcomes.length = 0;
    const seen = async () => {
      expect(await world.reasonOf('home')).toBe('encoder-unavailable');
      return world.outcomes;
    };
    await expect.poll(seen).toContain(outcome);
    const shown = async () => {
      await world.reasonOf('home');
      return reasonOf('home');
    };
    await expect.poll(shown).toBe('encoder-unavailable');
  }
});

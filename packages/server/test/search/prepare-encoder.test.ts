import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareEncoder } from '../../src/search/by-vector.ts';
import type { Actor } from '../actor.ts';
import { publish } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';
import { MODEL, sidecarFiles, vectorOf } from './embeddings.ts';
import { ScriptedEncoder } from './scripted-encoder.ts';

const ARM = { id: 'arm', files: { 'arm/model.stl': 'arm' } };

let service: TestService;
let encoder: ScriptedEncoder;
let ada: Actor;
beforeEach(async () => {
  encoder = new ScriptedEncoder();
  service = await startService({ encoder });
  ada = await service.member('ada');
});
afterEach(() => service.close());

async function publishVectors(library: string, model: string): Promise<void> {
  await publish(ada, library, {
    assets: [ARM],
    generated: sidecarFiles({ arm: { text: vectorOf(1) } }, { model }),
  });
}

test('publishing vectors of the active model prepares the encoder; publishing others or none does not', async () => {
  await publish(ada, 'ada/plain', { assets: [ARM] });
  await publishVectors('ada/other', 'open_clip/other/model');
  expect(encoder.prepared).toBe(0);
  await publishVectors('ada/home', MODEL);
  expect(encoder.prepared).toBe(1);
});

test('starting the service prepares the encoder only if a library has vectors of its model', async () => {
  const context = { ...service.context, encoder };
  await publishVectors('ada/other', 'open_clip/other/model');
  await prepareEncoder(context);
  expect(encoder.prepared).toBe(0);
  await publishVectors('ada/home', MODEL);
  await prepareEncoder(context);
  expect(encoder.prepared).toBe(2);
});

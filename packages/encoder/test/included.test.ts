import { expect, test } from 'vitest';
import { textParts } from '../src/included/included-model.ts';
import { createEncoder, INCLUDED_MODEL, installedModel } from '../src/index.ts';

const NOWHERE = '/nonexistent';

test('the included text model needs no pull and ranks texts by meaning', { timeout: 120_000 }, async () => {
  const encoder = await createEncoder({ folder: NOWHERE, model: 'included' });
  try {
    expect(encoder).toMatchObject({ id: INCLUDED_MODEL, dim: 768 });
    expect((await installedModel(NOWHERE, 'included'))?.version).toBe(encoder.version);
    const [query, mug, robot] = await encoder.embedText([
      'something to drink from',
      'Red mug. kitchen, cup. A mug for coffee and tea.',
      'UR5e. arm, robot. An industrial arm with six axes.',
    ]);
    const cosine = (other: Float32Array | undefined) =>
      (query as Float32Array).reduce((sum, value, at) => sum + value * (other?.[at] ?? 0), 0);
    expect(cosine(query)).toBeCloseTo(1, 5);
    expect(cosine(mug)).toBeGreaterThan(cosine(robot) + 0.1);
    expect(cosine(mug)).toBeGreaterThan((await encoder.relatedFrom('something to drink from')) ?? 1);
    await expect(encoder.embedImages([new Uint8Array(8)])).rejects.toMatchObject({ failure: 'failed' });
  } finally {
    await encoder.close();
  }
});

test('the text of an asset is split into title, tags and description', () => {
  expect(textParts('Mug. cup, kitchen. Red. Of clay')).toEqual(['Mug', 'cup, kitchen', 'Red. Of clay']);
  expect(textParts('a mug')).toEqual(['a mug']);
  expect(textParts('')).toEqual([]);
});

test.each([
  ['musical instrument', true],
  ['Container', true],
  ['screwdriver', true],
  ['robot dog', true],
  ['xyzzyqwert', false],
  ['asdf qwer', false],
  ['jkl;', false],
  ['手', false],
  ['', false],
])('whether the included model knows the words of %j: %s', async (text, known) => {
  const encoder = await createEncoder({ folder: NOWHERE, model: 'included' });
  expect(Number.isFinite(await encoder.relatedFrom(text))).toBe(known);
});

test('what the included model has no word for is like nothing else', async () => {
  const encoder = await createEncoder({ folder: NOWHERE, model: 'included' });
  const [unknown, empty, mug] = await encoder.embedText(['机器人', '', 'mug']);
  expect(unknown).toEqual(empty);
  expect(unknown?.reduce((sum, value, at) => sum + value * (mug?.[at] ?? 0), 0)).toBe(0);
});

test('what says each word of a query is nearer word by word than what says one of them well', async () => {
  const encoder = await createEncoder({ folder: NOWHERE, model: 'included' });
  const compare = await encoder.compareWords('trap with sharp points in the ground');
  const [spikes, ground, unlike] = ['Floor with spikes. dungeon', 'Ground plane', 'Sofa. furniture'].map(
    (text) => compare?.(text) ?? 0,
  );
  expect(spikes).toBeGreaterThan(ground as number);
  expect(spikes).toBeLessThanOrEqual(1);
  expect(unlike).toBeLessThan(0.1);
  expect(compare?.('')).toBe(0);
  const filler = 'one two three four five six seven eight nine ten';
  expect(compare?.(`Floor with spikes. ${filler}`)).toBeLessThan(spikes as number);
  const unknown = await encoder.compareWords('机器人');
  expect(unknown?.('Robot')).toBe(0);
});

test('whoever gives up gets no vectors', async () => {
  const encoder = await createEncoder({ folder: NOWHERE, model: 'included' });
  const call = encoder.embedText(['mug'], { signal: AbortSignal.abort() });
  await expect(call).rejects.toMatchObject({ failure: 'closed' });
});

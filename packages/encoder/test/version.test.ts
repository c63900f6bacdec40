import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ModelDescription } from '../src/description.ts';
import { installedModel } from '../src/index.ts';
import { versionOf } from '../src/version.ts';
import { SMALL_MODEL, writeSmallModel } from './small-model.ts';

let folder: string;
let small: ModelDescription;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bindery-version-'));
  small = await writeSmallModel(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The description with a file called otherwise, everywhere. */
function renamed(description: ModelDescription, before: string, after: string): ModelDescription {
  return JSON.parse(JSON.stringify(description).replaceAll(`"${before}"`, `"${after}"`));
}

test('the version of a model does not depend on the source, names or order of its files', () => {
  const version = versionOf(small);
  const { image, text, ...rest } = small;
  const others: ModelDescription[] = [
    { ...small, url: 'https://models.example.org/small/' },
    { ...small, source: { repository: 'ada/small', commit: 'a'.repeat(40) } },
    renamed(small, 'image.onnx', 'vision_model.onnx'),
    { ...small, files: small.files.toReversed() },
    { text, image, ...rest },
  ];
  for (const other of others) expect(versionOf(other)).toBe(version);
});

test.each<[string, (description: ModelDescription) => ModelDescription]>([
  ['another id', (model) => ({ ...model, id: 'test/other/model' })],
  [
    'different image preprocessing',
    (model) => ({ ...model, image: { ...model.image!, resize: 'shortest' } }),
  ],
  ['different text preprocessing', (model) => ({ ...model, text: { ...model.text, clean: 'lower' } })],
  ['another output', (model) => ({ ...model, text: { ...model.text, output: 'pooler_output' } })],
  [
    'another hash of a file',
    (model) => ({ ...model, files: model.files.with(1, { ...model.files[1]!, sha256: 'a'.repeat(64) }) }),
  ],
  [
    'the text model in place of the image model',
    (model) => ({ ...model, image: { ...model.image!, model: model.text.model } }),
  ],
])('the version of a model changes with %s', (_, change) => {
  expect(versionOf(change(small))).not.toBe(versionOf(small));
});

test('installedModel returns the facts of an installed model, and null for one that is not', async () => {
  expect(await installedModel(folder, SMALL_MODEL)).toEqual({
    version: versionOf(small),
    dim: 768,
    encodesImages: true,
  });
  expect(await installedModel(folder, 'siglip2')).toBeNull();
});

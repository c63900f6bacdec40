import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { extensionOf, FORMATS, formatNamed, formatOf } from '../../formats/src/index.ts';
import { checkLibrary } from '../../sdk/src/check/check.ts';
import { discoverLibrary } from '../../sdk/src/local-discovery/discover-library.ts';
import { checkModels } from '../src/check-models.ts';
import { memoryFiles } from '../src/index.ts';
import { measureAsset, renderThumbnail, type ThumbnailRequest } from '../src/thumbnail.ts';
import { cloudSamples, everySample, type Sample } from './models/samples.ts';

/** Of pictures, a check reads no more than how they begin; of Blender files nothing, since they are not what is drawn. */
const NOT_READ = ['image', 'blend'];

const SAMPLES = [...(await everySample()), ...cloudSamples()].filter(({ kind }) => !NOT_READ.includes(kind));

/** How many files are made of each sample. */
const CHANGED = 8;

/** A file as it is, and then cut, or with some bytes changed. */
function casesOf(whole: Uint8Array): Uint8Array[] {
  const changes = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 4 });
  const cases = fc.sample(fc.tuple(changes, fc.nat(whole.length)), { numRuns: CHANGED, seed: 1 });
  const changed = cases.map(([list, length]) => {
    const bytes = Uint8Array.from(whole);
    for (const [at, byte] of list) bytes[at] = byte;
    return bytes.subarray(0, list.length === 0 ? length : undefined);
  });
  return [whole, ...changed];
}

const root = mkdtempSync(join(tmpdir(), 'bindery-check-'));
afterAll(() => rmSync(root, { recursive: true }));

function write(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), bytes);
}

/** Every case of every sample, in a folder of its own of one library. */
const cases = SAMPLES.flatMap((sample, number) => {
  const whole = sample.files.get(sample.entry) ?? new Uint8Array();
  return casesOf(whole).map((bytes, at) => {
    const folder = `${number}-${at}/`;
    const files = new Map<string, Uint8Array>();
    for (const [path, content] of sample.files)
      files.set(folder + path, path === sample.entry ? bytes : content);
    for (const [path, content] of files) write(path, content);
    return { sample, files, file: folder + sample.entry };
  });
});

const found = discoverLibrary(root);
const { problems } = await checkLibrary(found, { concurrency: 1, check: checkModels });

/** Problems of files that cannot be read; others are read, and something is wrong with what they say. */
const UNREAD = ['file-unreadable', 'mjcf-does-not-compile', 'macros-not-expanded'];

/** Why an asset is not drawn. A robot or a stage with nothing to see in it is read all the same. */
async function refusalOf(request: ThumbnailRequest): Promise<string | null> {
  const isMesh = request.kind === 'mesh' && !formatOf(extensionOf(request.entry))?.loadMechanismReader;
  const read = await (isMesh ? renderThumbnail : measureAsset)(request);
  return 'warning' in read ? read.warning : null;
}

test('every format that is drawn has a sample', () => {
  const formatOfSample = ({ kind, entry }: Sample) =>
    formatNamed(kind === 'urdf' ? extensionOf(entry) : kind) ?? formatOf(extensionOf(entry));
  const sampled = new Set([...SAMPLES.map((sample) => formatOfSample(sample)?.name), ...NOT_READ]);
  expect(FORMATS.map(({ name }) => name).filter((name) => !sampled.has(name))).toEqual([]);
});

describe('a check has an error exactly where there is no picture', () => {
  test.each(SAMPLES)('of $name, whole, cut or changed', async (sample) => {
    const ofSample = cases.filter((one) => one.sample === sample);
    const [whole] = ofSample;
    expect(found.assets.some(({ entry }) => entry === whole?.file)).toBe(true);
    for (const { file, files } of ofSample) {
      const asset = found.assets.find(({ entry }) => entry === file);
      // What is not recognised is not said to be a model.
      if (asset === undefined) continue;
      const { kind = 'file' } = asset;
      const refused = await refusalOf({ kind, entry: file, files: memoryFiles(files) });
      // What only exceeds the limits of pictures is a warning.
      const expected = refused?.startsWith('too large') ? 'warning' : 'error';
      const isReported = problems.some(
        (one) => one.file === file && one.severity === expected && UNREAD.includes(one.code),
      );
      expect({ file, isReported, refused }).toEqual({ file, isReported: refused !== null, refused });
    }
  });
});

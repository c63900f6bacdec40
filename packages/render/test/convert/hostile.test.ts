import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rounds } from '../../../../test/faults.ts';
import { memoryFiles } from '../../../formats/src/reading/asset-files.ts';
import { Unrenderable } from '../../../formats/src/reading/errors.ts';
import { convertModel } from '../../src/convert/convert.ts';
import { MECHANISM } from '../models/mechanism.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

async function converted(
  kind: 'mjcf' | 'urdf' | 'sdf',
  content: Uint8Array,
  target: 'mjcf' | 'urdf' | 'sdf',
) {
  const files = memoryFiles(new Map([['robot.xml', content]]));
  const conversion = await convertModel({ kind, format: kind, entry: 'robot.xml', files, target });
  return conversion.files.get(conversion.entry) ?? new Uint8Array();
}

const sources = {
  urdf: await converted('mjcf', bytes(MECHANISM), 'urdf'),
  sdf: await converted('mjcf', bytes(MECHANISM), 'sdf'),
};
const REPLACEMENTS = [
  '',
  '0',
  '-1',
  '1e999',
  'nan',
  '1e-300',
  'world',
  'trunk',
  '__model__',
  '<link/>',
  '"',
  '&#0;',
];

test.each(['urdf', 'sdf'] as const)(
  '%s with changed words is converted with proof or refused in words',
  async (kind) => {
    const words = new TextDecoder().decode(sources[kind]).split(/(?<=[\s"<>=/])|(?=[\s"<>=/])/);
    const change = fc.tuple(fc.nat(words.length - 1), fc.constantFrom(...REPLACEMENTS));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const changed = [...words];
        for (const [at, word] of changes) changed[at] = word;
        try {
          await converted(kind, bytes(changed.join('')), 'mjcf');
        } catch (error) {
          if (!(error instanceof Unrenderable)) throw error;
        }
      }),
      { numRuns: rounds({ short: 100, long: 1_000 }), seed: 1 },
    );
  },
);

test.each(['urdf', 'sdf'] as const)('%s that ends early is refused in words', async (kind) => {
  const whole = sources[kind];
  for (let part = 1; part < 20; part++) {
    const cut = whole.slice(0, Math.floor((whole.length * part) / 20));
    await expect(converted(kind, cut, 'mjcf')).rejects.toThrow(Unrenderable);
  }
});

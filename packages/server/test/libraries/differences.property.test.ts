import { hash } from 'node:crypto';
import {
  MANIFEST_SCHEMA,
  type Manifest,
  type ManifestAsset,
  manifestText,
  validateManifest,
} from '@bindery/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyDifferences, writeDifferences } from '../../src/revision/differences.ts';
import { encodeRevisionIndex } from '../../src/revision/encode-index.ts';
import { FileClosure } from '../../src/revision/file-closure.ts';
import { RevisionIndex } from '../../src/revision/revision-index.ts';

const COUNT = 1_200;

const part = (number: number, text: string): ManifestAsset => ({
  ...{ id: `part-${number}`, title: text, description: 'a part "of" many '.repeat(10) },
  files: [{ path: `${number}/part.txt`, size: text.length, sha256: hash('sha256', text) }],
});

const FIRST = Array.from({ length: COUNT }, (_, number) => part(number, 'plain'));

/** Assets of the next manifest by number: with another text, or left out. */
const changes = fc.dictionary(
  fc.integer({ min: 0, max: COUNT + 20 }).map(String),
  fc.constantFrom('left out', 'plain', '{"id":"', '".bindery/', 'größer'),
  { maxKeys: 40 },
);
const artifacts = fc.uniqueArray(
  fc.integer({ min: 0, max: 60 }).map((number) => `.bindery/thumbs/${number}.webp`),
);

function revision(changed: Record<string, string>, generated: string[]) {
  const assets = [...FIRST.keys(), ...Array.from({ length: 21 }, (_, at) => COUNT + at)].flatMap((number) => {
    const text = changed[number] ?? (number < COUNT ? 'plain' : 'left out');
    return text === 'left out' ? [] : [FIRST[number]?.title === text ? FIRST[number] : part(number, text)];
  });
  const library = { title: `${assets.length} parts` };
  const manifest: Manifest = { schema: MANIFEST_SCHEMA, library, assets, generated };
  const bytes = Buffer.from(manifestText(manifest));
  const verdict = validateManifest(bytes);
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.issues));
  const stored = generated.map((path) => ({ path, size: path.length, sha256: hash('sha256', path) }));
  return { sha256: hash('sha256', bytes), bytes, sections: encodeRevisionIndex(verdict, stored) };
}

function contentsOf(files: FileClosure): Set<string> {
  return new Set(Array.from({ length: files.count }, (_, place) => files.sha256(place)));
}

test('the differences of two manifests make the bytes of one of the other, and list what that lacks', () => {
  fc.assert(
    fc.property(changes, artifacts, changes, artifacts, (changed, generated, changedNext, generatedNext) => {
      const [earlier, next] = [revision(changed, generated), revision(changedNext, generatedNext)];
      const differences = writeDifferences(earlier, next);
      if (differences === null) throw new Error('the revisions are not alike');
      expect(applyDifferences(next.bytes, differences).equals(earlier.bytes)).toBe(true);
      const gone = contentsOf(new FileClosure(earlier.sections)).difference(
        contentsOf(new FileClosure(next.sections)),
      );
      expect(contentsOf(RevisionIndex.open(differences).files)).toEqual(gone);
    }),
    { numRuns: 12 },
  );
});

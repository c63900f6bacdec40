import fc from 'fast-check';
import { expect, test } from 'vitest';
import { surveyObj } from '../../../formats/src/obj/survey.ts';
import type { BoundedFile } from '../../../formats/src/survey.ts';

const anyRow = fc.oneof(
  fc.constantFrom(
    'v 0 1 2',
    'f 1 2 3',
    '',
    '# mtllib no.mtl',
    'o mtllib',
    'mtllib',
    'xmtllib a.mtl',
    'usemtl steel',
  ),
  fc.stringMatching(/^ {0,2}mtllib[ \t][a-z]{1,6}\.mtl( mtllib)?\r?$/),
);

test('material files named in an OBJ file are found with their line numbers, whatever surrounds them', () => {
  fc.assert(
    fc.property(fc.array(anyRow), fc.boolean(), (rows, endsInNewline) => {
      const text = rows.join('\n') + (endsInNewline ? '\n' : '');
      const named = rows
        .map((row, at) => ({ words: row.trim().split(/\s+/), line: at + 1 }))
        .filter(({ words }) => words[0] === 'mtllib')
        .map(({ words, line }) => ({ text: words.slice(1).join(' '), line }));
      const file = { head: () => Buffer.from(text) } as unknown as BoundedFile;
      const found = surveyObj(file).references?.map(({ text, line }) => ({ text, line }));
      expect(found).toEqual(named);
    }),
  );
});

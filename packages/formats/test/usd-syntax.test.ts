import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CLIENTS_PYTHON, missingPythonClients } from '../../../test/python-clients.ts';
import { tellCases } from '../../../test/tallies.ts';
import { canRun } from '../../sdk/test/credentials/needed-programs.ts';
import { UnreadableFileError } from '../src/index.ts';
import { readTextLayer } from '../src/usd/stage/text-layer.ts';

/** Prims on a line, and the same over several. */
const PRIMS = [
  '{ double size = 1 }',
  '{ double size = 1; }',
  '{ double size = 1\n}',
  '{\n double size = 1 }',
  '{\n double size = 1 # at the end\n}',
  '{ double size }',
  '{ rel r = </c> }',
  '{ def "d" { } }',
  '{ def "d" { }\n}',
  '{ def "d" {\n}\n}',
  '{\n def "d" {} def "e" {}\n}',
  '{\n def "d" {\n} double x = 1\n}',
  '{\n def "d" {\n};\n}',
  '{\n double x = 1 def "d" {\n}\n}',
  '{\n double x = 1; def "d" {\n}\n}',
  '{\n def "d" {\n}\n def "d" {\n}\n}',
  '{ reorder nameChildren = ["a"] }',
  '{\n variantSet "v" = { "a" { } }\n}',
  '{\n variantSet "v" = { "a" { double x = 1 } }\n}',
  '{\n variantSet "v" = { "a" {\n} "b" {\n} }\n}',
  '{\n variantSet "v" =\n{\n "a"\n{\n}\n}\n}',
  '{\n variantSet\n "v" = { "a" {\n} }\n}',
  '{\n variantSet "v" = {\n}\n}',
  '{\n variantSet "v" = { "a" {\n} } double x = 1\n}',
  '(kind = "a") {\n}',
  '(kind = "a"; active = true) {\n}',
  '(kind = "a"\n active = true) {\n}',
  '(kind = "a" active = true) {\n}',
  '(kind = "a", active = true) {\n}',
  '(kind = "a";) {\n}',
  '(kind = "a";; active = true) {\n}',
  '(;) {\n}',
  '("doc" active = true) {\n}',
  '("doc"; active = true) {\n}',
  '(kind\n= "a") {\n}',
  '(kind =\n "a") {\n}',
  '(kind = 1) {\n}',
  '(prepend\n apiSchemas = ["A"]) {\n}',
  '(prepend apiSchemas = ["A"]) {\n}',
  '(prepend apiSchemas = "A") {\n}',
  '(apiSchemas = None) {\n}',
  '(inherits = "a") {\n}',
  '(inherits = [</a>,]) {\n}',
  '(references = "a.usda") {\n}',
  '(references = [@a@ @b@]) {\n}',
  '(references = @a@</b> (offset = 1; scale = 2)) {\n}',
  '(references = @a@</b> (offset = 1 scale = 2)) {\n}',
  '(references = @a@\n</b>) {\n}',
  '(references = @a@</b>\n(offset = 1)) {\n}',
  '(variants = {string a = "b"\nstring c = "d"}) {\n}',
  '(variants = {string a = "b" string c = "d"}) {\n}',
  '(variants = "a") {\n}',
  '(customData = {}) {\n}',
  '(customData = {string a = "b"; string c = "d";}) {\n}',
  '(customData = {string a = "b", string c = "d"}) {\n}',
  '(customData = {string a\n= "b"}) {\n}',
  '(customData = {a = "b"}) {\n}',
  '(customData = {int a = "b"}) {\n}',
  '(customData = {string "a b" = "c"}) {\n}',
  '(customData =\n{string a = "b"}) {\n}',
  '() () {\n}',
  '\n(kind = "a")\n{\n}',
  '',
  '{',
  '{\n}\n}',
];

/** Statements in a prim. */
const STATEMENTS = [
  'double x = 1 double y = 2',
  'double x = 1; double y = 2',
  'double x = 1 ;\n double y = 2',
  'double x = 1\n ; double y = 2',
  'double x = 1;;',
  ';',
  'double x = 1 /* on\n */ double y = 2',
  'double x = 1 // and\n double y = 2',
  'double x =\n 1',
  'double x\n = 1',
  'double\n x = 1',
  'double x',
  'double x = 1 (doc = "a")',
  'double x = 1 (doc = "a") double y = 1',
  'double x = 1\n (doc = "a")',
  'double 1x = 1',
  'double a-b = 1',
  'double a:b = 1',
  'double a::b = 1',
  'double a: = 1',
  'double é = 1',
  'double x = 1\n double x = 2',
  'double x = 1\n float x = 2',
  'uniform double x = 1',
  'custom uniform double x = 1',
  'uniform custom double x = 1',
  'uniform uniform double x = 1',
  'varying double x = 1',
  'varying rel x',
  'uniform rel x = </c>',
  'prepend double x = 1',
  'prepend rel x = </c>',
  'foo',
  'foo x = 1',
  ...['+1', '-1', '- 1', '.5', '5.', '-.5', '.', '1e5', '1E+5', '1e', '1.2.3', '0x10', '1_000'].map(
    (n) => `double x = ${n}`,
  ),
  ...['inf', '-inf', 'nan', '-nan', 'Inf', 'infinity', '"1"', 'true', '(1)', '[1]', 'None'].map(
    (n) => `double x = ${n}`,
  ),
  ...['true', 'False', 'yes', '2', '1.5', 'foo', '"true"'].map((truth) => `bool x = ${truth}`),
  ...['300', '-1', '1.5', '255'].map((n) => `uchar x = ${n}`),
  ...['3000000000', '1e3', '01'].map((n) => `int x = ${n}`),
  'uint x = -1',
  ...['"a"', "'a'", '"a\nb"', '"""a\nb"""', '1', 'a', '@a@', '"a" "b"'].map((text) => `string x = ${text}`),
  'token x = a',
  'token[] x = ["a", "b",]',
  'token[] x = [a]',
  'string[] x = [1]',
  'asset x = @a@',
  'asset x = "a"',
  'asset x = 1',
  'asset[] x = [@a@, @b@]',
  ...[
    '[]',
    '[1, 2,]',
    '[1 2]',
    '[1,, 2]',
    '[, 1]',
    '[1,,]',
    '[\n1,\n2\n]',
    '[(1)]',
    '1',
    '[true]',
    '[None]',
    'None',
  ].map((list) => `int[] x = ${list}`),
  'bool[] x = [true, no, 1]',
  ...[
    '(1, 2, 3)',
    '(1, 2, 3,)',
    '(1, 2)',
    '(1 2 3)',
    '()',
    '1',
    '((1, 2, 3))',
    '(1,\n2, 3)',
    '[1, 2, 3]',
  ].map((v) => `double3 x = ${v}`),
  ...[
    '[(1, 2, 3), (4, 5, 6)]',
    '[(1, 2, 3) (4, 5, 6)]',
    '[1, 2, 3]',
    '[(1, 2)]',
    '[(1, 2, 3,),]',
    '[\n(1, 2, 3),\n(4, 5, 6)\n]',
  ].map((v) => `point3f[] x = ${v}`),
  ...['((1, 2), (3, 4))', '((1, 2), (3, 4),)', '((1, 2) (3, 4))', '(1, 2, 3, 4)'].map(
    (m) => `matrix2d x = ${m}`,
  ),
  'matrix2d[] x = [((1, 2), (3, 4))]',
  'matrix2d[] x = [(1, 2, 3, 4)]',
  'quatf x = (1, 0, 0)',
  'dictionary x = {}',
  ...[
    '</c>',
    '[</c>,]',
    '[</c> </d>]',
    '"c"',
    '<>',
    '</c/1 2>',
    '</c-d>',
    '</c/>',
    '< /c >',
    '<../d>',
    '</c.x:y>',
    'None',
    '[]',
  ].map((path) => `rel x = ${path}`),
  'double x.connect = </c.y>',
  'double x.connect = [</c.y>]',
  ...[
    '{0: 1, 1: 2}',
    '{0: 1, 1: 2,}',
    '{0: 1\n 1: 2}',
    '{\n0: 1,\n1: None\n}',
    '{0:\n1}',
    '{a: 1}',
    '{0: "a"}',
    '{}',
  ].map((s) => `double x.timeSamples = ${s}`),
  'double x.timeSamples =\n{0: 1}',
];

/** Whole layers. */
const LAYERS = [
  '',
  '# nothing\n',
  '(defaultPrim = "c")\ndef "c" {\n}\n',
  '(defaultPrim = "c") def "c" {\n}\n',
  '(defaultPrim = "c" upAxis = "Z")\n',
  '(defaultPrim = 1)\n',
  '(upAxis = 1)\n',
  '(metersPerUnit = "1")\n',
  '(subLayers = @a@)\n',
  '(subLayers = [@a@ @b@])\n',
  '(subLayers = [\n@a@,\n@b@ (offset = 1)\n])\n',
  '()\n()\n',
  'def "c" {}\n(defaultPrim = "c")\n',
  'def "c" {} def "d" {}\n',
  'def "c" {};\n',
  'def "c" {}\ndef "c" {}\n',
  'def "c" {}',
  'def "1c" {}\n',
  'def "a-b" {}\n',
  'def "" {}\n',
  'def "é" {}\n',
  'def c {}\n',
  'def\nCube "c" {}\n',
  'def Cube\n"c" {}\n',
  'def Cube\t"c"\t{\r\n double x = 1\r\n double y = 2\r\n}\r\n',
  'def Cube "c" {\r double x = 1\r double y = 2\r}\r',
  'Def "c" {}\n',
  'double x = 1\n',
];

const TEXTS = [
  ...PRIMS.map((prim) => `def Cube "c" ${prim}\n`),
  ...STATEMENTS.map((statement) => `def Cube "c"\n{\n ${statement}\n}\n`),
  ...LAYERS,
].map((text) => `#usda 1.0\n${text}`);

function reads(text: string): boolean {
  try {
    return readTextLayer(new TextEncoder().encode(text), 'a.usda').fault === undefined;
  } catch (error) {
    if (error instanceof UnreadableFileError) return false;
    throw error;
  }
}

describe.runIf(canRun('openusd', missingPythonClients()))('text of USD', () => {
  test('is read where OpenUSD reads it, and refused where it does not', () => {
    const program = fileURLToPath(new URL('usd-syntax-oracle.py', import.meta.url));
    const answer = execFileSync(CLIENTS_PYTHON, [program], {
      input: JSON.stringify(TEXTS),
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const theirs = JSON.parse(answer) as boolean[];
    const own = TEXTS.map(reads);
    tellCases('OpenUSD', TEXTS.length, own.filter((one, at) => one !== theirs[at]).length);
    expect(theirs.filter(Boolean).length).toBeGreaterThan(TEXTS.length / 3);
    expect(TEXTS.map((text, at) => [text, own[at]])).toEqual(TEXTS.map((text, at) => [text, theirs[at]]));
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  LIMITS,
  MANIFEST_SCHEMA,
  type ManifestVerdict,
  validateManifest,
  validateManifestValue,
} from '../src/index.ts';

const HASH = 'ab'.repeat(32);
const OTHER_HASH = 'cd'.repeat(32);

function file(path: string, more: Record<string, unknown> = {}) {
  return { path, size: 1, sha256: HASH, ...more };
}

function asset(id: string, more: Record<string, unknown> = {}) {
  return { id, files: [file(`${id}/a.stl`)], ...more };
}

function manifest(more: Record<string, unknown> = {}) {
  return { schema: MANIFEST_SCHEMA, assets: [asset('arm')], ...more };
}

function validateText(text: string): ManifestVerdict {
  return validateManifest(new TextEncoder().encode(text));
}

/** The code and the pointers of a refusal; null for a manifest that holds. */
function refusal(verdict: ManifestVerdict) {
  return verdict.ok ? null : { code: verdict.code, at: verdict.issues.map(({ path }) => path) };
}

function refusalOf(document: unknown) {
  return refusal(validateText(JSON.stringify(document)));
}

function withAsset(more: Record<string, unknown>) {
  return manifest({ assets: [asset('arm', more)] });
}

describe('a valid manifest', () => {
  test.each([
    ['only the required fields', { schema: MANIFEST_SCHEMA, assets: [] }],
    [
      'every field',
      {
        schema: MANIFEST_SCHEMA,
        library: {
          name: 'n'.repeat(64),
          type: '3d',
          title: 't'.repeat(200),
          description: 'd'.repeat(10_000),
          provider: 'p'.repeat(200),
          homepage: 'h'.repeat(500),
          license: 'l'.repeat(120),
          tags: Array.from({ length: 32 }, () => 't'.repeat(64)),
          upstream: { repo: 'r'.repeat(500), commit: 'c'.repeat(128) },
        },
        assets: [
          {
            id: `A${'.'.repeat(127)}`,
            title: 't'.repeat(200),
            description: 'd'.repeat(2_000),
            category: 'robot-arm',
            kind: 'mjcf',
            format: 'v1.0_x',
            tags: [],
            license: null,
            attribution: null,
            upstream: { id: 'x', url: 'https://example.org' },
            entry: 'arm.xml',
            entryPoints: Object.fromEntries(
              Array.from({ length: 32 }, (_, at) => [
                `${at}`,
                at % 2 ? { file: 'arm.xml' } : { kind: 'scene', file: 'arm.xml' },
              ]),
            ),
            files: [file('arm.xml', { size: 0 })],
            thumbnail: '.bindery/arm.webp',
            meta: { anything: [1, { deep: null }] },
          },
        ],
        generated: ['.bindery/arm.webp'],
      },
    ],
    [
      'a file that two assets share',
      manifest({ assets: [asset('a', { files: [file('x')] }), asset('b', { files: [file('x')] })] }),
    ],
    ['lengths counted in characters, not UTF-16 units', withAsset({ title: '\u{1f600}'.repeat(200) })],
    ['meta of exactly 8,192 bytes', withAsset({ meta: { a: 'é'.repeat(4_092) } })],
    [
      'paths that begin with the name of another file',
      manifest({ assets: [asset('a', { files: [file('a'), file('a-b'), file('a.b/c')] })] }),
    ],
    ['ids that differ in letter case', manifest({ assets: [asset('arm'), asset('Arm')] })],
  ])('is accepted with %s', (_, document) => {
    expect(refusalOf(document)).toBeNull();
  });

  test('yields its distinct files, sorted by the bytes of their paths', () => {
    const shared = file('shared');
    const verdict = validateManifestValue(
      manifest({
        assets: [
          { id: 'b', files: [file('\u{10000}'), shared, file('\uffff')] },
          { id: 'a', files: [file('a/z'), shared, file('a-')] },
        ],
      }),
    );
    const paths = verdict.ok ? verdict.files.map(({ path }) => path) : [];
    expect(paths).toEqual(['a-', 'a/z', 'shared', '\uffff', '\u{10000}']);
  });
});

describe('a manifest is refused', () => {
  test('for being larger than 100 MiB', () => {
    const verdict = validateManifest(new Uint8Array(LIMITS.manifest.bytes + 1));
    expect(refusal(verdict)).toEqual({ code: 'manifest_too_large', at: [''] });
  });

  test.each([
    ['{"schema":', ''],
    ['\ufeff{}', ''],
    ['{"schema":"x","assets":[{"id":"a","id":"b"}]}', '/assets/0/id'],
    ['', ''],
  ])('for invalid JSON: %j', (text, at) => {
    expect(refusal(validateText(text))).toEqual({ code: 'manifest_invalid_json', at: [at] });
  });

  test.each([
    [null],
    [[]],
    ['text'],
    [{}],
    [{ assets: [] }],
    [{ schema: 'bindery.assets/v2', assets: [] }],
    [{ schema: null, assets: [] }],
  ])('for a wrong or missing schema: %j', (document) => {
    expect(refusalOf(document)).toEqual({ code: 'manifest_bad_schema', at: ['/schema'] });
  });

  test.each<[string, unknown, string]>([
    ['no assets', { schema: MANIFEST_SCHEMA }, '/assets'],
    ['assets that are not a list', manifest({ assets: {} }), '/assets'],
    ['an unknown key at the root', manifest({ extra: 1 }), '/extra'],
    ['an unknown key of the library', manifest({ library: { titel: 'x' } }), '/library/titel'],
    [
      'an unknown key of the upstream of a library',
      manifest({ library: { upstream: { url: 'x' } } }),
      '/library/upstream/url',
    ],
    ['an unknown key of an asset', withAsset({ 'a/b~c': 1 }), '/assets/0/a~1b~0c'],
    [
      'an unknown key of the upstream of an asset',
      withAsset({ upstream: { repo: 'x' } }),
      '/assets/0/upstream/repo',
    ],
    ['an unknown key of a file', withAsset({ files: [file('a', { mode: 1 })] }), '/assets/0/files/0/mode'],
    [
      'an unknown key of an entry point',
      withAsset({ entryPoints: { x: { file: 'arm/a.stl', y: 1 } } }),
      '/assets/0/entryPoints/x/y',
    ],
    ['a library that is null', manifest({ library: null }), '/library'],
    ['an asset that is null', manifest({ assets: [null] }), '/assets/0'],
    ['no id', manifest({ assets: [{ files: [file('a')] }] }), '/assets/0/id'],
    [
      'an id that starts with a dot',
      manifest({ assets: [asset('.arm', { files: [file('a')] })] }),
      '/assets/0/id',
    ],
    [
      'an id of 129 characters',
      manifest({ assets: [asset('a'.repeat(129), { files: [file('a')] })] }),
      '/assets/0/id',
    ],
    [
      'an id with a newline at its end',
      manifest({ assets: [asset('arm\n', { files: [file('a')] })] }),
      '/assets/0/id',
    ],
    ['a library name of 65 characters', manifest({ library: { name: 'n'.repeat(65) } }), '/library/name'],
    ['a type with a capital letter', manifest({ library: { type: '3D' } }), '/library/type'],
    ['a title of 201 characters', withAsset({ title: 't'.repeat(201) }), '/assets/0/title'],
    ['a title with NUL', withAsset({ title: 'a\0b' }), '/assets/0/title'],
    ['a title with a lone surrogate', withAsset({ title: '\ud800' }), '/assets/0/title'],
    ['a title that is null', withAsset({ title: null }), '/assets/0/title'],
    [
      'a description of 2,001 characters',
      withAsset({ description: 'd'.repeat(2_001) }),
      '/assets/0/description',
    ],
    ['a category in capitals', withAsset({ category: 'Chair' }), '/assets/0/category'],
    ['a kind of 33 characters', withAsset({ kind: 'k'.repeat(33) }), '/assets/0/kind'],
    ['33 tags', withAsset({ tags: Array(33).fill('t') }), '/assets/0/tags'],
    ['a tag of 65 characters', withAsset({ tags: ['ok', 't'.repeat(65)] }), '/assets/0/tags/1'],
    ['a license of 121 characters', withAsset({ license: 'l'.repeat(121) }), '/assets/0/license'],
    [
      'an attribution of 1,001 characters',
      withAsset({ attribution: 'a'.repeat(1_001) }),
      '/assets/0/attribution',
    ],
    ['no files', manifest({ assets: [{ id: 'arm' }] }), '/assets/0/files'],
    ['an empty list of files', manifest({ assets: [asset('arm', { files: [] })] }), '/assets/0/files'],
    ['a negative size', withAsset({ files: [file('a', { size: -1 })] }), '/assets/0/files/0/size'],
    ['a size with a fraction', withAsset({ files: [file('a', { size: 1.5 })] }), '/assets/0/files/0/size'],
    ['a size as text', withAsset({ files: [file('a', { size: '1' })] }), '/assets/0/files/0/size'],
    [
      'a size above the largest safe integer',
      withAsset({ files: [file('a', { size: 2 ** 53 })] }),
      '/assets/0/files/0/size',
    ],
    [
      'a hash in capitals',
      withAsset({ files: [file('a', { sha256: 'AB'.repeat(32) })] }),
      '/assets/0/files/0/sha256',
    ],
    [
      'a hash of 63 characters',
      withAsset({ files: [file('a', { sha256: HASH.slice(1) })] }),
      '/assets/0/files/0/sha256',
    ],
    [
      'a path that is not a string',
      withAsset({ files: [{ path: 7, size: 1, sha256: HASH }] }),
      '/assets/0/files/0/path',
    ],
    ['an entry that is not a file of the asset', withAsset({ entry: 'arm/b.stl' }), '/assets/0/entry'],
    [
      'a thumbnail that the manifest does not list',
      withAsset({ thumbnail: 'thumb.png' }),
      '/assets/0/thumbnail',
    ],
    [
      'an entry point that is not a file of the asset',
      withAsset({ entryPoints: { main: { file: 'b' } } }),
      '/assets/0/entryPoints/main/file',
    ],
    [
      'an entry point without a file',
      withAsset({ entryPoints: { main: {} } }),
      '/assets/0/entryPoints/main/file',
    ],
    [
      'an entry point without a name',
      withAsset({ entryPoints: { '': { file: 'arm/a.stl' } } }),
      '/assets/0/entryPoints/',
    ],
    ['entry points as a list', withAsset({ entryPoints: [] }), '/assets/0/entryPoints'],
    [
      '33 entry points',
      withAsset({
        entryPoints: Object.fromEntries(
          Array.from({ length: 33 }, (_, at) => [`${at}`, { file: 'arm/a.stl' }]),
        ),
      }),
      '/assets/0/entryPoints',
    ],
    ['meta that is a list', withAsset({ meta: [] }), '/assets/0/meta'],
    [
      'meta with more keys than 8,192 bytes can hold',
      withAsset({ meta: Object.fromEntries(Array.from({ length: 3_000 }, (_, number) => [number, 0])) }),
      '/assets/0/meta',
    ],
    ['meta of 8,193 bytes', withAsset({ meta: { a: `${'é'.repeat(4_092)}x` } }), '/assets/0/meta'],
    ['generated paths that are not a list', manifest({ generated: {} }), '/generated'],
    ['a generated path that is not a string', manifest({ generated: ['.bindery/a', 1] }), '/generated/1'],
  ])('for its shape: %s', (_, document, at) => {
    expect(refusalOf(document)).toEqual({ code: 'manifest_invalid', at: [at] });
  });

  test('for __proto__ keys, which are checked like any other key', () => {
    for (const [text, at] of [
      [`{"schema":"${MANIFEST_SCHEMA}","assets":[],"__proto__":{}}`, '/__proto__'],
      [
        `{"schema":"${MANIFEST_SCHEMA}","assets":[{"id":"a","files":[{"path":"a","size":1,"sha256":"${HASH}"}],"__proto__":{}}]}`,
        '/assets/0/__proto__',
      ],
      [
        `{"schema":"${MANIFEST_SCHEMA}","assets":[{"id":"a","files":[{"path":"a","size":1,"sha256":"${HASH}","__proto__":1}]}]}`,
        '/assets/0/files/0/__proto__',
      ],
      [
        `{"schema":"${MANIFEST_SCHEMA}","assets":[{"id":"a","files":[{"path":"a","size":1,"sha256":"${HASH}"}],"entryPoints":{"__proto__":{"file":"b"}}}]}`,
        '/assets/0/entryPoints/__proto__/file',
      ],
    ] as const) {
      expect(refusal(validateText(text))).toEqual({ code: 'manifest_invalid', at: [at] });
    }
  });

  test('for too many assets, files or generated paths', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ id: `a${at}`, files: [file('same')] }));
    expect(refusal(validateManifestValue(manifest({ assets: many(50_001) })))).toEqual({
      code: 'manifest_too_many_assets',
      at: ['/assets'],
    });
    const big = { id: 'big', files: Array(1_000_001).fill(file('same')) };
    expect(refusal(validateManifestValue(manifest({ assets: [big] })))).toEqual({
      code: 'manifest_too_many_files',
      at: ['/assets'],
    });
    const generated = Array.from({ length: 60_001 }, (_, at) => `.bindery/${at}`);
    expect(refusal(validateManifestValue(manifest({ generated })))).toEqual({
      code: 'manifest_too_many_generated',
      at: ['/generated'],
    });
    expect(
      refusal(validateManifestValue(manifest({ assets: many(50_000), generated: generated.slice(1) }))),
    ).toBeNull();
  });

  test('for invalid paths of files or generated artifacts', () => {
    const document = manifest({
      assets: [asset('a', { files: [file('../etc'), file('ok'), file('.Bindery/x')] })],
      generated: ['.bindery/ok', 'outside', '.bindery/manifest.json'],
    });
    expect(refusalOf(document)).toEqual({
      code: 'manifest_invalid_path',
      at: ['/assets/0/files/0/path', '/assets/0/files/2/path', '/generated/1', '/generated/2'],
    });
  });

  test('for a duplicate asset id', () => {
    const document = manifest({ assets: [asset('a'), asset('b'), asset('a', { files: [file('c')] })] });
    expect(refusalOf(document)).toEqual({ code: 'manifest_duplicate_id', at: ['/assets/2/id'] });
  });

  test.each<[string, unknown[], string]>([
    [
      'one path with two hashes',
      [asset('a', { files: [file('x')] }), asset('b', { files: [file('x', { sha256: OTHER_HASH })] })],
      '/assets/1/files/0',
    ],
    [
      'one path with two sizes',
      [asset('a', { files: [file('x')] }), asset('b', { files: [file('y'), file('x', { size: 2 })] })],
      '/assets/1/files/1',
    ],
    [
      'a path listed twice in an asset',
      [asset('a', { files: [file('x'), file('y'), file('x')] })],
      '/assets/0/files/2',
    ],
    [
      'a file that is also a folder',
      [asset('a', { files: [file('x/y/z'), file('x-'), file('x')] })],
      '/assets/0/files/0',
    ],
    [
      'a file that is also a folder of another asset',
      [asset('b', { files: [file('x')] }), asset('a', { files: [file('x/y')] })],
      '/assets/1/files/0',
    ],
  ])('for a file conflict: %s', (_, assets, at) => {
    expect(refusalOf(manifest({ assets }))).toEqual({ code: 'manifest_file_conflict', at: [at] });
  });

  test('for an artifact path inside another artifact or inside the manifest', () => {
    expect(refusalOf(manifest({ generated: ['.bindery/a/b', '.bindery/a'] }))).toEqual({
      code: 'manifest_file_conflict',
      at: ['/generated/0'],
    });
    expect(refusalOf(manifest({ generated: ['.bindery/manifest.json/a'] }))).toEqual({
      code: 'manifest_file_conflict',
      at: ['/generated/0'],
    });
  });

  test('with at most 100 issues', () => {
    const files = Array.from({ length: 1_000 }, (_, at) => file(`f${at}`, { size: -1 }));
    expect(refusalOf(withAsset({ files }))?.at).toHaveLength(100);
    const paths = Array.from({ length: 1_000 }, (_, at) => file(`../${at}`));
    expect(refusalOf(withAsset({ files: paths }))?.at).toHaveLength(100);
    expect(refusalOf(manifest({ generated: Array(1_000).fill('outside') }))?.at).toHaveLength(100);
  });

  test('with short messages, however long the input', () => {
    const long = 'x'.repeat(100_000);
    for (const document of [
      withAsset({ title: long }),
      withAsset({ files: [file(long)] }),
      { schema: long },
      withAsset({ [long]: 1 }),
    ]) {
      const verdict = validateText(JSON.stringify(document));
      const messages = verdict.ok ? [] : verdict.issues.map(({ path, message }) => path + message);
      expect(messages.length).toBeGreaterThan(0);
      for (const message of messages) expect(message.length).toBeLessThan(500);
    }
  });
});

describe('a manifest with several faults', () => {
  const order: [code: string, fault: (document: Record<string, unknown>) => unknown][] = [
    ['manifest_bad_schema', (document) => ({ ...document, schema: 'other' })],
    ['manifest_invalid', (document) => ({ ...document, extra: 1 })],
    [
      'manifest_too_many_generated',
      (document) => ({ ...document, generated: Array(60_001).fill('.bindery/a') }),
    ],
    ['manifest_invalid_path', (document) => addAsset(document, asset('bad', { files: [file('/')] }))],
    ['manifest_duplicate_id', (document) => addAsset(document, asset('arm'))],
    [
      'manifest_file_conflict',
      (document) => addAsset(document, asset('twice', { files: [file('x'), file('x')] })),
    ],
  ];

  function addAsset(document: Record<string, unknown>, added: unknown) {
    return { ...document, assets: [...(document.assets as unknown[]), added] };
  }

  test.each(order.map(([code], at) => [code, at] as const))('reports %s before later checks', (code, at) => {
    const document = order
      .slice(at)
      .reduce<unknown>((worse, [, fault]) => fault(worse as Record<string, unknown>), manifest());
    expect(refusalOf(document)?.code).toBe(code);
  });
});

test('the legacy layout needs no schema and refuses generated paths', () => {
  const legacy = (document: unknown) =>
    refusal(validateManifest(new TextEncoder().encode(JSON.stringify(document)), 'legacy'));
  expect(legacy({ assets: [asset('a')] })).toBeNull();
  expect(legacy(manifest())).toBeNull();
  expect(legacy({ assets: [], generated: [] })).toEqual({ code: 'manifest_invalid', at: ['/generated'] });
  expect(legacy({ schema: 'other', assets: [] })?.code).toBe('manifest_bad_schema');
  expect(legacy([])?.code).toBe('manifest_bad_schema');
});

test('manifest validation returns a verdict for any input, with an issue if it is refused', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue(),
      fc.constantFrom(file('a'), file('a/b'), asset('a'), 'a', '.bindery/a', HASH, 1),
      fc.array(tie('any'), { maxLength: 4 }),
      fc.dictionary(
        fc.constantFrom(
          'id',
          'files',
          'path',
          'size',
          'sha256',
          'entry',
          'entryPoints',
          'meta',
          'tags',
          'thumbnail',
          'x',
        ),
        tie('any'),
      ),
    ),
  })).any;
  fc.assert(
    fc.property(fc.array(value, { maxLength: 4 }), value, value, (assets, library, generated) => {
      const verdict = refusalOf({ schema: MANIFEST_SCHEMA, assets, library, generated });
      if (verdict !== null) expect(verdict.at.length).toBeGreaterThan(0);
    }),
  );
});

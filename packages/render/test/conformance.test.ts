import { describe, expect, test } from 'vitest';
import { extensionOf, stemOf } from '../../formats/src/files/paths.ts';
import { FileIndex, FORMATS, formatNamed, formatOf, resolveReference } from '../../formats/src/index.ts';
import { examineFile } from '../../sdk/src/discovery/examine.ts';
import { BoundedFileReader } from '../../sdk/src/discovery/file-reader.ts';
import { type FileSource, memoryFiles } from '../src/index.ts';
import { renderThumbnail } from '../src/thumbnail.ts';
import { cloudSamples, everySample, type Sample } from './models/samples.ts';

/** Formats that are not drawn themselves, but a picture in them. */
const WITHOUT_SAMPLE = ['blend'];

const SAMPLES = [...(await everySample()), ...cloudSamples()];

/** Extensions of files that nothing marks: records of numbers, and macros around a document of any kind. */
const UNMARKED: readonly string[] = ['splat', 'ksplat', 'xacro'];
/** Extensions of archives, and of what may be compressed: only their directory tells them apart. */
const PACKED: readonly string[] = ['3mf', 'amf', 'usd', 'usda', 'usdc', 'usdz', 'sog', 'blend'];

function isPacked([first, second]: Uint8Array): boolean {
  return (first === 0x50 && second === 0x4b) || (first === 0x1f && second === 0x8b);
}

function formatOfSample({ kind, entry }: Sample): string | undefined {
  return (formatNamed(kind === 'urdf' ? extensionOf(entry) : kind) ?? formatOf(extensionOf(entry)))?.name;
}

/** What discovery knows of one file alone. */
function examined(path: string, bytes: Uint8Array) {
  const read = (_path: string, start: number, length: number) => bytes.subarray(start, start + length);
  return examineFile(new BoundedFileReader({ path, size: bytes.byteLength }, read));
}

test('every format that is drawn has a sample', () => {
  const sampled = new Set([...SAMPLES.map(formatOfSample), ...WITHOUT_SAMPLE]);
  expect(FORMATS.map(({ name }) => name).filter((name) => !sampled.has(name))).toEqual([]);
});

describe.each(SAMPLES)('$name', (sample) => {
  const { kind, entry, files } = sample;
  const bytes = files.get(entry) ?? new Uint8Array();
  const facts = examined(entry, bytes);

  test('is recognised, by what is in it', () => {
    const type = { 'meta.json': 'sog', 'scene/lod-meta.json': 'lod' }[entry] ?? formatOfSample(sample);
    const isOther = sample.name === 'ply mesh under the kind of splats';
    expect(facts).toMatchObject({ type: isOther ? 'ply' : type, ...(kind !== 'image' && { certain: true }) });
  });

  test('is not taken for another format whose extension it has', () => {
    // Without the extension of macros, what they are around is what it is.
    const others = facts?.type === 'xacro' ? [] : FORMATS.filter(({ family }) => family !== 'image');
    const mistaken = others

      .flatMap(({ extensions, ambiguous = [] }) => [...extensions, ...ambiguous])
      .filter(
        (extension) => !UNMARKED.includes(extension) && !(isPacked(bytes) && PACKED.includes(extension)),
      )
      .filter((extension) => {
        const found = examined(`${stemOf(entry)}.${extension}`, bytes);
        return found?.certain && found.type !== facts?.type;
      });
    expect(mistaken).toEqual([]);
  });

  test('names the files that are read to draw it', async () => {
    const read = new Set<string>();
    const source = memoryFiles(files);
    const watched: FileSource = {
      sizes: source.sizes,
      read: (path) => {
        read.add(path);
        return source.read(path);
      },
    };
    expect(await renderThumbnail({ kind, entry, files: watched })).not.toHaveProperty('warning');
    const index = new FileIndex(files.keys());
    const named = new Set([entry]);
    for (const path of named) {
      for (const { text } of examined(path, files.get(path) ?? new Uint8Array())?.references ?? []) {
        const found = resolveReference(index, path, text, ['xml/model/', 'meshes/', 'pylon/meshes/']);
        if ('path' in found) named.add(found.path);
      }
    }
    expect([...read].filter((path) => !named.has(path))).toEqual([]);
  });

  test('is examined without an error wherever it is cut', () => {
    for (let part = 0; part < 16; part++) {
      const cut = bytes.subarray(0, Math.floor((bytes.byteLength * part) / 16));
      expect(() => examined(entry, cut)).not.toThrow();
    }
  });
});

test.each(SAMPLES.filter(({ files }) => files.size === 1))(
  '$name is the same under any name',
  async ({ kind, entry, files }) => {
    const name = `Größe 1/${stemOf(entry)} #2 %41.${extensionOf(entry).toUpperCase()}`;
    const renamed = new Map([[name, files.get(entry) ?? new Uint8Array()]]);
    expect(await renderThumbnail({ kind, entry: name, files: memoryFiles(renamed) })).toEqual(
      await renderThumbnail({ kind, entry, files: memoryFiles(files) }),
    );
  },
);

/** Texts as other programs write them. */
const WRITTEN: Readonly<Record<string, (text: string) => Uint8Array>> = {
  'a byte order mark': (text) => Buffer.from(`\uFEFF${text}`),
  'line ends of Windows': (text) => Buffer.from(text.replace(/\r?\n/g, '\r\n')),
  'line ends of old Macs': (text) => Buffer.from(text.replace(/\r?\n/g, '\r')),
  'UTF-16': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
};

/** What the formats themselves do not allow: lines of OBJ end with line feeds, USD and STEP begin with their names, and JSON is UTF-8. */
const FORBIDDEN: Readonly<Record<string, readonly string[]>> = {
  usd: ['a byte order mark', 'line ends of old Macs', 'UTF-16'],
  obj: ['line ends of old Macs'],
  step: ['a byte order mark', 'UTF-16'],
  gltf: ['UTF-16'],
  sog: ['UTF-16'],
  lod: ['UTF-16'],
};

/** The text of a sample; undefined for one in binary. */
function textOf({ entry, files }: Sample): string | undefined {
  const text = Buffer.from(files.get(entry) ?? []).toString('utf8');
  return text.includes('\0') || text.includes('\uFFFD') ? undefined : text;
}

describe.each(SAMPLES.filter((sample) => sample.kind !== 'image' && textOf(sample) !== undefined))(
  '$name is recognised, and drawn the same, with',
  (sample) => {
    const { kind, entry, files } = sample;
    const facts = examined(entry, files.get(entry) ?? new Uint8Array());
    const allowed = Object.entries(WRITTEN).filter(([name]) => !FORBIDDEN[facts?.type ?? '']?.includes(name));
    test.each(allowed)('%s', async (_name, write) => {
      const written = write(textOf(sample) ?? '');
      expect(examined(entry, written)).toMatchObject({ type: facts?.type, certain: facts?.certain });
      expect(
        await renderThumbnail({ kind, entry, files: memoryFiles(new Map([...files, [entry, written]])) }),
      ).toEqual(await renderThumbnail({ kind, entry, files: memoryFiles(files) }));
    });
  },
);

import { FileIndex, UnreadableFileError } from '@bindery/formats';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { withoutAssets } from '../../src/curation/edits.ts';
import { discoverFiles } from '../../src/discovery/discover.ts';
import { draftCuration } from '../../src/discovery/draft-curation.ts';
import type { ReadPart } from '../../src/discovery/file-reader.ts';
import type { FileFacts } from '../../src/discovery/formats/facts.ts';
import { Closures, LibraryFiles } from '../../src/discovery/graph/closure.ts';

const OBJ = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';
const COUNT = 500;
const numbers = (length: number) => Array.from({ length }, (_, number) => number);

function discover(contents: Readonly<Record<string, string>>, during?: ReadPart['during']) {
  const bytes = new Map(
    Object.entries(contents).map(([path, text]) => [path, new TextEncoder().encode(text)]),
  );
  const read = (path: string, start: number, length: number) =>
    bytes.get(path)?.subarray(start, start + length) ?? new Uint8Array();
  const listed = [...bytes].map(([path, { byteLength: size }]) => ({ path, size }));
  return discoverFiles(listed, Object.assign(read, { during }));
}

const loose = Object.fromEntries(numbers(COUNT).map((at) => [`parts/bolt-${at}.obj`, OBJ]));
const listed = numbers(COUNT).map((at) => `  bolt-${at}: {files: [parts/bolt-${at}.obj]}\n`);

describe('a folder with many assets', () => {
  afterEach(() => vi.restoreAllMocks());

  test.each([
    ['as they are found', loose],
    ['listed in bindery.yml', { ...loose, 'bindery.yml': `assets:\n${listed.join('')}` }],
  ])('is not listed again for each of them: %s', (_, contents) => {
    let names = 0;
    const { filesIn } = FileIndex.prototype;
    vi.spyOn(FileIndex.prototype, 'filesIn').mockImplementation(function (this: FileIndex, folder) {
      const files = filesIn.call(this, folder);
      names += files.length;
      return files;
    });
    expect(discover(contents).assets).toHaveLength(COUNT);
    expect(names).toBeGreaterThan(0);
    expect(names).toBeLessThan(20 * COUNT);
  });
});

const NAMESPACE = 'xmlns:xacro="http://www.ros.org/wiki/xacro"';

describe('macros that include macros', () => {
  function library(of: (number: number) => FileFacts) {
    const facts = new Map(numbers(COUNT).map((at) => [`${at}.xacro`, of(at)]));
    const get = vi.fn((path: string) => facts.get(path));
    const files = [...facts.keys()].sort().map((path) => ({ path, size: 1 }));
    const robot = new TextEncoder().encode(`<robot ${NAMESPACE}><xacro:include filename="1.xacro"/></robot>`);
    return { get, files: new LibraryFiles(files, { get }, () => robot) };
  }
  const including = (at: number): FileFacts => ({
    type: 'xacro',
    certain: true,
    isComplete: at === COUNT - 1,
    references: [{ text: `${at + 1}.xacro`, role: 'include' }],
  });

  test('are each looked at once to see which are robots', () => {
    const { files, get } = library(including);
    expect(files.factsOf('0.xacro')?.isComplete).toBe(true);
    for (const at of numbers(COUNT)) files.factsOf(`${at}.xacro`);
    expect(get.mock.calls.length).toBeLessThan(5 * COUNT);
  });

  test('are no robots without a robot among them', () => {
    const { files } = library((at) => ({ ...including(at), isComplete: false }));
    expect(files.factsOf('0.xacro')?.isComplete).toBe(false);
  });

  test('are followed no further than all models of a library may take', () => {
    const { files } = library(including);
    const closures = new Closures(files, 5_000);
    const faults = numbers(COUNT).map((at) => closures.of(`${at}.xacro`).findings.at(-1)?.text);
    expect(faults.at(-1)).toBe('the models of this library include more than can be followed');
    expect(new Closures(files).of(`${COUNT - 1}.xacro`).findings.at(-1)?.text).not.toBe(faults.at(-1));
  });
});

test('globs that take too long to compare with all paths are an error of bindery.yml', () => {
  const contents = {
    'mug/mug.obj': OBJ,
    'bindery.yml': 'discover: {exclude: ["**/nothing"]}',
  };
  const tooLong: ReadPart['during'] = (path, work) => {
    if (path === 'bindery.yml') throw new UnreadableFileError('takes too long');
    return work();
  };
  expect(discover(contents).assets).toHaveLength(1);
  expect(() => discover(contents, tooLong)).toThrow(
    'bindery.yml:1:1: comparing its globs with the 2 paths of the folder takes longer than 20 s; name paths instead',
  );
});

test('a bindery.yml of 60,000 assets is drafted and edited in time proportional to its length', () => {
  const assets = numbers(60_000).map((at) => ({ id: `asset-${at}`, kind: 'mesh', title: 'A', files: [] }));
  const before = process.cpuUsage();
  const text = draftCuration({ ...discover({}), assets }, 'many');
  expect(
    withoutAssets(
      text,
      assets.slice(1).map(({ id }) => id),
    ),
  ).toContain('asset-0:');
  const { user, system } = process.cpuUsage(before);
  // Processor time; comparing each key with each took more than a minute.
  expect((user + system) / 1e6).toBeLessThan(20);
});

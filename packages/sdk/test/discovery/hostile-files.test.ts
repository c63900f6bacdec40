// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how macros are written
import { describe, expect, test } from 'vitest';
import { checkLibrary } from '../../src/check/check.ts';
import { discoverFolder } from '../../src/local-discovery/discover-folder.ts';
import { discoverLibrary } from '../../src/local-discovery/discover-library.ts';
import { folderWith } from '../folder.ts';

const MIB = 1024 * 1024;
const OBJ = 'v 0 0 0\n';
/** Processor time; each of these took minutes or for ever, so that a slow machine changes nothing. */
const MAX_SECONDS = 10;

function filled(piece: string, bytes: number): string {
  return piece.repeat(Math.floor(bytes / piece.length));
}

function xacro(content: string): string {
  return `<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="l"/>${content}</robot>`;
}

const shown = (expression: string) => xacro(`<a b="\${${expression}}"/>`);
const doubling = (list: string, next: (before: string) => string) =>
  xacro(
    `<xacro:property name="a0" value="${list}"/>${Array.from({ length: 40 }, (_, at) => `<xacro:property name="a${at + 1}" value="${next(`a${at}`)}"/>`).join('')}<a b="\${a40 == a40}"/>`,
  );

const HOSTILE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'parameters of a macro': {
    'a.xacro': xacro(`<xacro:macro name="m" params="a:=${filled('${$(', 200)}'"/>`),
  },
  'comments that do not end': { 'a.urdf': filled('<!--', 2 * MIB) },
  'CDATA that does not end': { 'a.urdf': `<robot>${filled('<![CDATA[', 2 * MIB)}` },
  'document types that do not end': { 'a.xml': filled('<!DOCTYPE[', 64 * 1024) },
  'declarations that do not end': { 'a.xml': filled('<?xml ', 64 * 1024) },
  'a heading of blanks': { 'README.md': `# ${filled(' ', 20_000)}x`, 'm.obj': OBJ },
  'pictures that do not end in a README': { 'README.md': filled('![](', 256 * 1024), 'm.obj': OBJ },
  'a licence of returns': { LICENSE: filled('\r', 512 * 1024), 'm.obj': OBJ },
  'a licence of blanks after a tag': {
    LICENSE: `SPDX-License-Identifier:${filled(' ', 500_000)}!`,
    'm.obj': OBJ,
  },
  'an endless licence expression': {
    LICENSE: `SPDX-License-Identifier: ${filled('MIT AND ', 500_000)}MIT`,
    'm.obj': OBJ,
  },
  'the name of a licence': { [`license${filled('-a', 200)}!`]: 'x', 'm.obj': OBJ },
  'one statement of OBJ': { 'a.obj': `mtllib ${filled('a ', 64 * 1024)}\n${OBJ}` },
  'coordinates of OBJ': { 'a.obj': `f 1 1 1\n${filled('v \r', 4 * MIB)}` },
  'vertices of STL': { 'a.stl': `solid a\nfacet\n${filled('vertex ', 8 * MIB)}` },
  'pictures of COLLADA that do not end': { 'a.dae': `<COLLADA>${filled('<library_images ', 8 * MIB)}` },
  'a text of VRML': { 'a.wrl': `#VRML V2.0 utf8\nGroup { a "${filled('a', 32 * MIB)}" }` },
  'comments of VRML': { 'a.wrl': `#VRML V2.0 utf8\n${filled('#\n', 32 * MIB)}` },
  'prototypes of prototypes of VRML': {
    'a.wrl': `#VRML V2.0 utf8\n${Array.from({ length: 40 }, (_, at) => `PROTO P${at + 1} [] { Group { children [ P${at}{} P${at}{} ] } }`).join('\n')}\nP40{}`,
  },
  'images of glTF': { 'a.gltf': `{"asset":{},"images":[${filled('{"uri":"%"},', 8 * MIB)}{}]}` },
  'expressions that do not end': { 'a.xacro': xacro(`<a b="${filled('${', 2 * MIB)}"/>`) },
  'dollar signs': { 'a.xacro': xacro(`<a b="${filled('$', MIB)}"/>`) },
  'equality of lists that double': {
    'a.xacro': doubling('${[1]}', (before) => `\${[${before}, ${before}]}`),
  },
  'texts that grow tenfold': {
    'a.xacro': doubling('0123456789', (before) => `\${${before}}`.repeat(10)),
  },
  'equality of numbers as keys': {
    'a.xacro': shown(
      'dict(zip(range(50000), range(50000))) == dict(zip([1.0*x for x in range(50000)], range(50000)))',
    ),
  },
  'a sum of lists': { 'a.xacro': shown('sum([[x] for x in range(99999)], [])') },
  'a text in a text': {
    'a.xacro': shown("('a'*100000).find('a'*25000 + 'b' + 'a'*25000)"),
  },
  'text between texts': { 'a.xacro': shown("('a'*90000).join([1]*90000)") },
  'one format of many zeros': { 'a.xacro': shown("('%' + '0'*90000) % 1") },
  'properties of properties': {
    'a.xacro': xacro(
      `<xacro:property name="a0" value="1"/>${Array.from({ length: 50_000 }, (_, at) => `<xacro:property name="a${at + 1}" value="\${a${at}}"/>`).join('')}<a b="\${a50000}"/>`,
    ),
  },
  'YAML loaded again and again': {
    'a.xacro': xacro('<a b="${xacro.load_yaml(\'a.yaml\')}"/>'.repeat(5_000)),
    'a.yaml': Array.from({ length: 9_000 }, (_, at) => `a${at}: [${at}, 0.5]\n`).join(''),
  },
  'aliases of YAML': {
    'a.xacro': shown("xacro.load_yaml('a.yaml')"),
    'a.yaml': Array.from(
      { length: 12 },
      (_, at) =>
        `k${at}: &k${at} [${Array.from({ length: 10 }, () => (at === 0 ? 'x' : `*k${at - 1}`)).join(',')}]\n`,
    ).join(''),
  },
};

describe('files that are made to take long', () => {
  test.each(Object.entries(HOSTILE))('are read in little time: %s', async (_, files) => {
    const folder = folderWith(files);
    const before = process.cpuUsage();
    const { assets } = await checkLibrary(discoverLibrary(folder), null);
    const { user, system } = process.cpuUsage(before);
    expect(assets).toBeGreaterThan(0);
    expect((user + system) / 1e6).toBeLessThan(MAX_SECONDS);
  });
});

test('an empty library of pictures in COLLADA is no library that does not end', () => {
  const dae = '<COLLADA><library_images/><library_geometries></library_geometries><scene/></COLLADA>';
  expect(discoverLibrary(folderWith({ 'mug/mug.dae': dae })).warnings).toEqual([]);
});

describe('a file that takes too long', () => {
  const SLOW = { 'slow/slow.urdf': `<robot name="${filled('&a', 12 * MIB)}"><link name="l"/></robot>` };
  const OTHER = { 'mug/mug.urdf': '<robot name="mug"><link name="l"/></robot>' };

  test('is named and left unread, and everything else is found and checked', async () => {
    const folder = folderWith({ ...SLOW, ...OTHER });
    const options = { maxReadMilliseconds: 300 };
    const found = await discoverFolder(folder, options);
    expect(found.assets.map(({ id, kind }) => [id, kind])).toEqual([
      ['mug', 'urdf'],
      ['slow', 'urdf'],
    ]);
    expect(found.warnings).toContain('slow/slow.urdf: takes longer than 20 s to read');
    const { problems } = await checkLibrary(found, null, options);
    expect(problems.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'read-timeout', asset: 'slow', file: 'slow/slow.urdf' },
    ]);
  });

  test('is one whose references can mean too many files', async () => {
    const meshes = Array.from({ length: 1_000 }, (_, at) => [`slow/${at}/x/y/a.stl`, `solid ${at}`]);
    const named = Array.from(
      { length: 100_000 },
      (_, at) => `<mesh filename="package://p/${at}/x/y/a.stl"/>`,
    );
    const folder = folderWith({
      ...Object.fromEntries(meshes),
      'slow/slow.urdf': `<robot name="slow"><link name="l"/>${named.join('')}</robot>`,
      ...OTHER,
    });
    const found = await discoverFolder(folder, { maxReadMilliseconds: 5_000 });
    expect(found.assets.map(({ id }) => id)).toContain('mug');
    expect(found.warnings).toContain('slow/slow.urdf: takes longer than 20 s to read');
  });

  test('does not keep a command from ending', async () => {
    const stop = new AbortController();
    const reading = discoverFolder(folderWith(SLOW), { signal: stop.signal });
    // The thread reads meanwhile, and timers of this one go on.
    setTimeout(() => stop.abort(new Error('stopped')), 200);
    await expect(reading).rejects.toThrow('stopped');
  });

  test('does not hide what is wrong with bindery.yml', async () => {
    const folder = folderWith({ ...OTHER, 'bindery.yml': 'assets:\n  cup: {title: Cup}\n' });
    await expect(discoverFolder(folder)).rejects.toMatchObject({
      name: 'CurationError',
      code: 'bindery_yml',
      problems: [{ line: 2 }],
    });
  });
});

import { describe, expect, test } from 'vitest';
import { usdArchive, usdCrate } from '../../../test/usd-crate.ts';
import { FileIndex, UnreadableFileError } from '../src/index.ts';
import type { UsdFiles } from '../src/usd/stage/layer-stacks.ts';
import { loadStage, openStage } from '../src/usd/stage/stage.ts';
import type { UsdPrim } from '../src/usd/stage/stage-prim.ts';
import { surveyUsd } from '../src/usd/stage/survey.ts';

type Library = Readonly<Record<string, string | Uint8Array>>;

const filesOf = (library: Library): UsdFiles => ({
  index: new FileIndex(Object.keys(library)),
  read: (path) => {
    const content = library[path] ?? '';
    return typeof content === 'string' ? new TextEncoder().encode(content) : content;
  },
});
const stageOf = (text: string, others: Library = {}) =>
  openStage('a.usda', filesOf({ 'a.usda': `#usda 1.0\n${text}`, ...others }));

describe('USD as text', () => {
  test('has prims with values of every form', () => {
    const stage = stageOf(
      `(
      "The doc"
      defaultPrim = "World"   # comments of three kinds
      upAxis = "Z"; metersPerUnit = 1 // here
      customLayerData = { string author = "Ada"; dictionary more = { int[] list = [1, 2] } }
    )
    /* and
       here */
    def Xform "World" (kind = "component"; prepend apiSchemas = ["PhysicsRigidBodyAPI"])
    {
      uniform token[] xformOpOrder = ["xformOp:transform"]
      matrix4d xformOp:transform = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 2, 3, 1) )
      quatf turn = (1, 0, 0, 0)
      custom string 'größe' = """it's "long"
of two lines"""
      def Mesh "m" {
        point3f[] points = [(0, -.5, 1e3), (inf, -inf, 2.5E-1),]
        int[] faceVertexCounts = []
        bool doubleSided = 1
        asset file = @./a b.png@
        asset odd = @@@x@y.png@@@
        float size.timeSamples = { 10: 2, 0: 1.5, 20: None }
        float blocked = None
        float none
        color3f c.connect = </World/m.out>
        add rel r = [<../m>, </World.turn>]
      }
    }
    class "Hidden" {}
    over "Undefined" {}
    def "Off" (active = false) {}`.replace("'größe'", 'größe'),
    );
    expect(stage).toMatchObject({ up: 'z', metersPerUnit: 1, defaultPrim: { path: '/World' }, problems: [] });
    expect(stage.roots.map(({ path }) => path)).toEqual(['/World']);
    const world = stage.defaultPrim;
    const mesh = stage.at('/World/m');
    expect([world?.typeName, world?.schemas, world?.metadata('kind')]).toEqual([
      'Xform',
      ['PhysicsRigidBodyAPI'],
      'component',
    ]);
    expect(world?.value('xformOp:transform')).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1]);
    expect(world?.value('größe')).toBe('it\'s "long"\nof two lines');
    expect(mesh?.value('points')).toEqual(new Float32Array([0, -0.5, 1000, Infinity, -Infinity, 0.25]));
    expect(mesh?.value('faceVertexCounts')).toEqual(new Int32Array());
    expect(mesh?.value('doubleSided')).toBe(true);
    expect(mesh?.value('file')).toEqual({ asset: './a b.png', layer: 'a.usda', line: 21 });
    expect(mesh?.value('odd')).toMatchObject({ asset: 'x@y.png', layer: 'a.usda' });
    expect([mesh?.value('size'), mesh?.value('blocked'), mesh?.value('none')]).toEqual([
      1.5,
      undefined,
      undefined,
    ]);
    expect([mesh?.varies('size'), mesh?.varies('points')]).toEqual([true, false]);
    expect(mesh?.connections('c')).toEqual(['/World/m.out']);
    expect(mesh?.targets('r')).toEqual(['/World/m', '/World.turn']);
  });

  test.each([
    ['is not valid USD: a statement ends too early in line 4', 'def "a" {\n  int b = \n}'],
    ['a block has no closing "}" in line 2', 'def "a" {'],
    ['the vectors of a list are incomplete in line 2', 'def Mesh "a" { point3f[] p = [(1, 2)] }'],
    ['a text has no closing quote in line 2', 'def "a'],
    ['nested too deeply', 'def "a" {'.repeat(300)],
  ])('that is damaged is refused with its line: %s', (message, text) => {
    expect(() => stageOf(text)).toThrow(UnreadableFileError);
    expect(() => stageOf(text)).toThrow(message);
  });
});

describe('A stage', () => {
  test('takes the strongest opinion: local, inherited, of variants, referenced, of payloads, specialized', () => {
    const values = ['local', 'inherit', 'variant', 'reference', 'payload', 'special'];
    const attributes = (level: number) =>
      values
        .slice(0, level + 1)
        .map((name) => `string ${name} = "${values[level]}"`)
        .join('\n');
    const stage = stageOf(
      `def "P" (
         inherits = </_class>
         specializes = </_special>
         references = @b.usda@
         payload = @c.usda@</C>
         variantSets = "v"
         variants = { string v = "x" }
       ) {
         string local = "local"
         variantSet "v" = { "x" { ${attributes(2)}\n} "y" {} }
       }
       class "_class" { ${attributes(1)}\n}
       class "_special" { ${attributes(5)}\n}`,
      {
        'b.usda': `#usda 1.0\n(defaultPrim = "B")\ndef Xform "B" { ${attributes(3)}\n}`,
        'c.usda': `#usda 1.0\ndef "C" { ${attributes(4)}\n}`,
      },
    );
    const prim = stage.at('/P');
    expect(values.map((name) => prim?.value(name))).toEqual(values);
    expect(prim && stage.variants(prim)).toEqual([{ set: 'v', choices: ['x', 'y'], selected: 'x' }]);
    expect(stage.layers).toEqual(['a.usda', 'b.usda', 'c.usda']);
  });

  test('has the materials of MaterialX, each with the nodes and graphs that it uses', () => {
    const stage = stageOf('def "M" (references = @m.mtlx@</MaterialX/Materials>) {}', {
      'm.mtlx': `<?xml version="1.0"?><materialx version="1.38" fileprefix="tex/">
          <nodegraph name="graph">
            <image name="file" type="color3"><input name="file" type="filename" value="red.png" colorspace="srgb_texture"/></image>
            <output name="colour" type="color3" nodename="file"/>
          </nodegraph>
          <standard_surface name="surface" type="surfaceshader">
            <input name="base_color" type="color3" nodegraph="graph" output="colour"/>
            <input name="metalness" type="float" value="0.5"/>
            <input name="emission_color" type="color3" value="1, 0.5, 0"/>
          </standard_surface>
          <standard_surface name="unused" type="surfaceshader"/>
          <surfacematerial name="red" type="material"><input name="surfaceshader" type="surfaceshader" nodename="surface"/></surfacematerial>
        </materialx>`,
    });
    const shader = stage.at('/M/red/surface');
    expect(stage.at('/M/red')?.connections('outputs:mtlx:surface')).toEqual(['/M/red/surface.outputs:out']);
    expect(stage.at('/M/red')?.children.map(({ name }) => name)).toEqual(['surface', 'graph']);
    expect(shader?.value('info:id')).toBe('ND_standard_surface_surfaceshader');
    expect([shader?.value('inputs:metalness'), shader?.value('inputs:emission_color')]).toEqual([
      0.5,
      [1, 0.5, 0],
    ]);
    expect(shader?.connections('inputs:base_color')).toEqual(['/M/red/graph.outputs:colour']);
    expect(stage.at('/M/red/graph')?.connections('outputs:colour')).toEqual([
      '/M/red/graph/file.outputs:out',
    ]);
    expect(stage.at('/M/red/graph/file')?.value('inputs:file')).toEqual({
      asset: 'tex/red.png',
      layer: 'm.mtlx',
    });
    expect(stage.problems).toEqual([]);
  });

  test('is the same when files are read as they turn out to be needed', async () => {
    const library = {
      'a.usda': '#usda 1.0\ndef "A" (references = @sub/b.usda@) {}',
      'sub/b.usda': '#usda 1.0\n(defaultPrim = "B"; subLayers = [@./c.usda@])\nover "B" {}',
      'sub/c.usda': '#usda 1.0\ndef Cube "B" { double size = 3; }',
    };
    const { index, read } = filesOf(library);
    const stage = await loadStage('a.usda', { index, read: async (path) => read(path) as Uint8Array });
    expect(stage.at('/A')?.typeName).toBe('Cube');
    expect(stage.at('/A')?.value('size')).toBe(3);
  });

  test('says which references it did not follow, and why', () => {
    const { problems } = stageOf(
      `def "A" (references = [@gone.usda@, @omniverse://host/x.usd@, @broken.usda@, </A/B>]) { def "B" {}
       }
       def "C" (references = @a.usda@</C>) {}`,
      { 'broken.usda': '#usda 1.0\n{' },
    );
    expect(problems.map(({ reference, reason }) => [reference, reason])).toEqual([
      ['gone.usda', 'is not there'],
      ['omniverse://host/x.usd', 'is outside of the library'],
      ['broken.usda', 'is not valid USD: unexpected "{" in line 2'],
      ['</A/B>', 'leads back to itself'],
      ['a.usda</C>', 'leads back to itself'],
    ]);
  });
});

describe('hostile USD', () => {
  const GOOD: Readonly<Record<string, Uint8Array>> = {
    'text.usda': new TextEncoder().encode(
      `#usda 1.0\n(defaultPrim = "A"; subLayers = [@./b.usda@])\ndef Xform "A" (variants = { string v = "x" }; prepend variantSets = "v"; references = </B>) { matrix4d m = ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1)); float[] f = [1, 2.5e3, -1]; rel r = </A/x>; variantSet "v" = { "x" { double t.timeSamples = { 0: 1, 2: 3 }; } }\n}\ndef "B" {}`,
    ),
    'crate.usdc': usdCrate(
      '(defaultPrim = "A") def Mesh "A" (prepend apiSchemas = ["X"]; prepend references = @b.usd@) { point3f[] points = [(0, 0, 0), (1, 2, 3)]; int[] ids = [1, 2, 3]; rel r = </A/Q>; asset a = @../b.png@; double d = 2.5; def "Q" {}\n}',
    ),
    'material.mtlx': new TextEncoder().encode(
      '<materialx><nodegraph name="g"><image name="i" type="color3"><input name="file" type="filename" value="a.png"/></image><output name="o" nodename="i"/></nodegraph><standard_surface name="s" type="surfaceshader"><input name="base_color" nodegraph="g" output="o"/></standard_surface><surfacematerial name="m"><input name="surfaceshader" nodename="s"/></surfacematerial></materialx>',
    ),
    'archive.usdz': usdArchive({
      'a.usdc': usdCrate('def "A" { double d = 2.5; }'),
      'b.png': 'x',
    }),
  };

  const MANY = Array.from({ length: 2_500 }, (_, at) => at);

  /** Reads all that there is. */
  function readAll(name: string, bytes: Uint8Array): void {
    surveyUsd({ size: bytes.length, part: (start, length) => bytes.subarray(start, start + length) }, name);
    const visit = (prim: UsdPrim) => {
      for (const property of prim.properties) {
        prim.value(property);
        prim.varies(property);
        prim.connections(property);
        prim.targets(property);
      }
      prim.children.forEach(visit);
    };
    openStage(name, { index: new FileIndex([name]), read: () => bytes }).roots.forEach(visit);
  }

  test.each(Object.entries(GOOD))('%s that is cut or changed anywhere is read or refused', (name, good) => {
    let state = 1;
    const random = (below: number) => {
      state = (state * 48271) % 2147483647;
      return state % below;
    };
    let refused = 0;
    for (let round = 0; round < 600; round++) {
      const bytes = round % 3 === 0 ? good.slice(0, random(good.length)) : good.slice();
      for (let change = round % 3; change > 0; change--)
        bytes[random(bytes.length)] = [0, 255, random(256)][random(3)] ?? 0;
      try {
        readAll(name, bytes);
      } catch (error) {
        if (!(error instanceof UnreadableFileError)) throw error;
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(100);
  });

  test.each([
    [
      'prims that double with every reference',
      `def "R" (references = </L0>) {}\n${Array.from({ length: 40 }, (_, at) => `class "L${at}" { def "a" (references = </L${at + 1}>) {}\ndef "b" (references = </L${at + 1}>) {}\n}`).join('\n')}`,
      'refers to more prims than can be shown',
    ],
    [
      'classes that double with every arc',
      `def "R" (inherits = </a0>) {}\n${Array.from({ length: 20 }, (_, at) => `class "a${at}" (inherits = [</a${at + 1}>, </b${at + 1}>]) {}\nclass "b${at}" (inherits = [</a${at + 1}>, </b${at + 1}>]) {}`).join('\n')}`,
      'has a prim that refers to too many others',
    ],
    [
      'a chain of references without end',
      `def "R" (references = </c0>) {}\n${Array.from({ length: 300 }, (_, at) => `class "c${at}" (references = </c${at + 1}>) {}`).join('\n')}`,
      'has references that are nested too deeply',
    ],
    [
      'sets of variants without end',
      `def "R" (variantSets = [${MANY.map((at) => `"s${at}"`)}]; variants = { ${MANY.map((at) => `string s${at} = "x"`).join('\n')} }) { ${MANY.map((at) => `variantSet "s${at}" = { "x" {} }`).join('\n')}\n}`,
      'has a prim that refers to too many others',
    ],
    ['parentheses without end', `def "A" (a = ${'('.repeat(100_000)}`, 'nested too deeply'],
  ])('%s are refused', (_name, text, message) => {
    expect(() => stageOf(text)).toThrow(UnreadableFileError);
    expect(() => stageOf(text)).toThrow(message);
  });

  test.each([
    ['paths', 'PATHS'],
    ['fields', 'FIELDS'],
    ['specs', 'SPECS'],
    ['names', 'TOKENS'],
  ])('that says it has more %s than it can have is refused before memory is taken', (_name, section) => {
    const bytes = (GOOD['crate.usdc'] as Uint8Array).slice();
    const view = new DataView(bytes.buffer);
    const name = new TextDecoder('latin1').decode(bytes).lastIndexOf(section);
    view.setBigUint64(Number(view.getBigInt64(name + 16, true)), 1n << 40n, true);
    expect(() => readAll('crate.usdc', bytes)).toThrow('is a damaged crate: it has less than it says');
  });
});

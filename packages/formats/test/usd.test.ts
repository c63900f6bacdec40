import { describe, expect, test } from 'vitest';
import { FileIndex, loadStage, openStage, UnreadableFileError, type UsdFiles } from '../src/index.ts';

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
    def Xform "World" (kind = "component" prepend apiSchemas = ["PhysicsRigidBodyAPI"])
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
    expect(mesh?.samples('size')).toEqual([
      [0, 1.5],
      [10, 2],
    ]);
    expect(mesh?.connections('c')).toEqual(['/World/m.out']);
    expect(mesh?.targets('r')).toEqual(['/World/m', '/World.turn']);
  });

  test.each([
    ['def "a" {\n  int b = \n}', 'is not valid USD: expected a value in line 4'],
    ['def "a" {', 'a block has no closing "}" in line 2'],
    ['def Mesh "a" { point3f[] p = [(1, 2)] }', 'the vectors of a list are incomplete in line 2'],
    ['def "a', 'a text has no closing quote in line 2'],
    [`${'def "a" {'.repeat(300)}`, 'nested too deeply'],
  ])('that is damaged is refused with its line: %j', (text, message) => {
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
         variantSet "v" = { "x" { ${attributes(2)} } "y" {} }
       }
       class "_class" { ${attributes(1)} }
       class "_special" { ${attributes(5)} }`,
      {
        'b.usda': `#usda 1.0\n(defaultPrim = "B")\ndef Xform "B" { ${attributes(3)} }`,
        'c.usda': `#usda 1.0\ndef "C" { ${attributes(4)} }`,
      },
    );
    const prim = stage.at('/P');
    expect(values.map((name) => prim?.value(name))).toEqual(values);
    expect(prim && stage.variants(prim)).toEqual([{ set: 'v', choices: ['x', 'y'], selected: 'x' }]);
    expect(stage.layers).toEqual(['a.usda', 'b.usda', 'c.usda']);
  });

  test('is the same when files are read as they turn out to be needed', async () => {
    const library = {
      'a.usda': '#usda 1.0\ndef "A" (references = @sub/b.usda@) {}',
      'sub/b.usda': '#usda 1.0\n(defaultPrim = "B" subLayers = [@./c.usda@])\nover "B" {}',
      'sub/c.usda': '#usda 1.0\ndef Cube "B" { double size = 3 }',
    };
    const { index, read } = filesOf(library);
    const stage = await loadStage('a.usda', { index, read: async (path) => read(path) as Uint8Array });
    expect(stage.at('/A')?.typeName).toBe('Cube');
    expect(stage.at('/A')?.value('size')).toBe(3);
  });

  test('says which references it did not follow, and why', () => {
    const { problems } = stageOf(
      `def "A" (references = [@gone.usda@, @omniverse://host/x.usd@, @broken.usda@, </A/B>]) { def "B" {} }
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

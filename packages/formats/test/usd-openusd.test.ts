import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CLIENTS_PYTHON, missingPythonClients } from '../../../test/python-clients.ts';
import { usdArchive, usdCrate } from '../../../test/usd-crate.ts';
import { canRun } from '../../sdk/test/credentials/needed-programs.ts';
import { FileIndex } from '../src/index.ts';
import { openStage, type UsdStage } from '../src/usd/stage/stage.ts';
import type { UsdPrim } from '../src/usd/stage/stage-prim.ts';
import { isAsset, type UsdValue } from '../src/usd/stage/values.ts';

type Library = Readonly<Record<string, string | Uint8Array>>;

const layer = (text: string) => `#usda 1.0\n${text}\n`;
const MANY = Array.from({ length: 40 }, (_, at) => at);

/** Libraries by what they show; the stage is that of the first file. */
const LIBRARIES: Readonly<Record<string, Library>> = {
  'values of every type': {
    'a.usda': layer(`(
    defaultPrim = "P"
    metersPerUnit = 0.1
    upAxis = "Z"
)
def Xform "P" (
    kind = "component"
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "CollectionAPI:c"]
)
{
    bool yes = 1
    bool no = false
    uchar c = 200
    int i = -5
    uint u = 4000000000
    int64 l = -9007199254740991
    uint64 ul = 9007199254740991
    half h = 0.5
    float f = 1.5e-3
    double d = 1e300
    double small = 0.1
    timecode tc = 24
    string s = "tab\\tand \\"quotes\\""
    token t = "tok"
    asset a = @./a b.png@
    int2 i2 = (1, -2)
    int3 far = (1000, -2000, 3)
    half2 h2 = (0.5, 1)
    half3 h3 = (1, 2, 3)
    float3 f3 = (1, 2, 3)
    color3f col = (0.25, 0.5, 1)
    double4 d4 = (1, 2, 3, 4.5)
    quath qh = (1, 0, 0.5, 0)
    quatf qf = (0.5, 0.5, -0.5, 0.5)
    quatd qd = (1, 2, 3, 4)
    matrix2d m2 = ( (1, 2), (3, 4) )
    matrix3d m3 = ( (1, 0, 0), (0, 2, 0), (0, 0, 3) )
    matrix4d m4 = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1.5, 2, 3, 1) )
    bool[] bools = [1, 0, true]
    uchar[] chars = [1, 255]
    int[] ints = [${MANY.map((at) => at * at - 100)}]
    int[] same = [${MANY.map(() => 4)}]
    uint[] uints = [${MANY.map((at) => 4e9 + at)}]
    int64[] longs = [${MANY.map((at) => at * 1e12 - 5)}]
    half[] halves = [${MANY.map((at) => at / 2)}]
    float[] whole = [${MANY.map((at) => at * 3)}]
    float[] few = [${MANY.map((at) => [0.25, 1.75][at % 2])}]
    float[] reals = [${MANY.map((at) => at / 3)}]
    double[] doubles = [${MANY.map((at) => at / 7)}]
    double[] twice = [${MANY.map((at) => [0.1, 1e-7][at % 2])}]
    point3f[] points = [${MANY.map((at) => `(${at}, ${at / 8}, -1)`)}] (
        interpolation = "vertex"
    )
    texCoord2f[] st = [(0, 0), (1, 0.5)]
    quatf[] quats = [(1, 0, 0, 0), (0.5, 0.5, 0.5, 0.5)]
    matrix4d[] matrices = [( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1) )]
    string[] strings = ["a", "b c"]
    token[] tokens = ["x", "y"]
    asset[] assets = [@a.png@, @b.png@]
    float sampled.timeSamples = {
        0: 1,
        1.5: 2,
        10: 4
    }
    point3f[] moving.timeSamples = {
        1: [(0, 0, 0)],
        2: [(1, 1, 1)]
    }
    float blocked = None
    color3f in.connect = </P/S.out>
    rel many = [</P/S>, </P>]
    def Shader "S" {
        color3f out
    }
}`),
  },
  'opinions by their strength, and arcs that lead to arcs': {
    'a.usda': layer(`(
    subLayers = [@sub.usda@ (offset = 10; scale = 2)]
)
def "A" (
    inherits = </_c>
    specializes = </_s>
    references = [@b.usda@, @c.usda@</C> (offset = 5)]
    variants = {
        string v = "two"
    }
    prepend variantSets = "v"
)
{
    string local = "a"
    variantSet "v" = {
        "one" {
            string variant = "one"
        }
        "two" (
            references = @c.usda@</D>
        ) {
            string variant = "two"
            string local = "weaker"
            def "FromVariant" {
            }
        }
    }
}
class "_c" {
    string class = "a"
    def "FromClass" {
    }
}
class "_s" {
    string special = "a"
    string class = "weaker"
}`),
    'sub.usda': layer(`over "A" {
    string sublayer = "sub"
    double t.timeSamples = {
        0: 1,
        10: 2
    }
}`),
    'b.usda': layer(`(
    defaultPrim = "B"
)
def Xform "B" (
    inherits = </_c>
    payload = @c.usda@</C>
)
{
    string variant = "referenced"
    string class = "referenced"
    rel inside = </B/Child>
    rel outside = </Elsewhere>
    def Cube "Child" (
        references = </_proto>
    )
    {
        double size.connect = </B.sublayer>
    }
}
class "_c" {
    string class = "b"
    string fromB = "b"
}
class "_proto" {
    string proto = "b"
}`),
    'c.usda': layer(`def Scope "C" {
    string payload = "c"
    double t.timeSamples = {
        1: 1,
        2: 2
    }
    def "Deep" {
        def "Deeper" {
            string at = "depth"
        }
    }
}
def "D" {
    string d = "d"
    over "FromClass" {
        string d = "d"
    }
}`),
  },
  'lists that are edited by stronger layers': {
    'a.usda': layer(`(
    subLayers = [@b.usda@]
)
over "A" (
    prepend apiSchemas = ["First"]
    delete apiSchemas = ["Gone"]
    delete references = @r.usda@</R>
    append references = @r.usda@</S>
)
{
    prepend rel r = </A/x>
    delete rel r = </A/y>
    reorder nameChildren = ["z", "x"]
}`),
    'b.usda': layer(`def "A" (
    apiSchemas = ["Gone", "Kept"]
    references = @r.usda@</R>
)
{
    rel r = [</A/y>, </A/z>]
    def "x" {
    }
    def "y" {
    }
    def "z" {
    }
}`),
    'r.usda': layer(`def "R" {
    int r = 1
}
def "S" {
    int s = 1
}`),
  },
  'prims of instances, without what is said about them elsewhere': {
    'a.usda': layer(`def "One" (
    instanceable = true
    references = @set.usda@</Set>
)
{
    int local = 1
    over "Part" {
        int ignored = 1
    }
    def "Ignored" {
    }
}
def "Two" (
    instanceable = false
    references = @set.usda@</Set>
)
{
    over "Part" {
        int said = 1
    }
}`),
    'set.usda': layer(`def "Set" {
    def "Part" (
        instanceable = true
        references = </Proto>
    )
    {
        rel r = </Set/Part/Inner>
    }
}
def "Proto" {
    def "Inner" {
        rel own = </Proto/Inner>
    }
}`),
  },
  'what is inactive, abstract or undefined': {
    'a.usda': layer(`class "C" {
    int c = 1
    def "Child" {
    }
}
def "Made" (
    inherits = </C>
)
{
}
over "Nothing" (
    inherits = </C>
)
{
}
over "Something" (
    references = </Made>
)
{
}
def "Off" (
    active = False
)
{
    def "Inside" {
    }
}`),
  },
  'variants in variants, chosen by references, and prims below others': {
    'a.usda': layer(`def "A" (
    references = @b.usda@</B>
    variants = {
        string outer = "y"
    }
)
{
}
def "Below" (
    references = @b.usda@</B/Part>
)
{
}`),
    'b.usda': layer(`def "B" (
    prepend variantSets = ["outer", "late"]
    variants = {
        string outer = "x"
        string inner = "q"
    }
)
{
    variantSet "outer" = {
        "x" {
            def "Part" {
                string from = "x"
            }
        }
        "y" (
            prepend variantSets = "inner"
            variants = {
                string late = "l"
            }
        ) {
            variantSet "inner" = {
                "p" {
                    int p = 1
                }
                "q" {
                    int q = 1
                }
            }
        }
    }
    variantSet "late" = {
        "l" {
            int late = 1
        }
    }
}`),
  },
  'an archive and crates': {
    'a.usda': layer(`def "A" (
    references = @pack.usdz@
)
{
}
def "B" (
    references = @pack.usdz[inner/part.usdc]@
)
{
}`),
    'pack.usdz': usdArchive({
      'root.usda': layer(`(
    defaultPrim = "Root"
)
def "Root" (
    references = @inner/part.usdc@
)
{
}`),
      'inner/part.usdc': usdCrate(
        '(defaultPrim = "Part") def Mesh "Part" (prepend apiSchemas = ["X"]) { point3f[] points = [(0, 0, 0), (1, 2, 3)]; rel r = </Part/Q>; asset a = @../b.png@; def "Q" {}\n}',
      ),
      'b.png': 'x',
    }),
  },
};

interface PrimSummary {
  readonly [key: string]: unknown;
}

describe.runIf(canRun('openusd', missingPythonClients()))('as OpenUSD does', () => {
  test('reads layers and composes stages', () => {
    const folder = mkdtempSync(join(tmpdir(), 'bindery-usd-'));
    try {
      const stages: string[] = [];
      const crates: [string, string][] = [];
      for (const [at, library] of Object.values(LIBRARIES).entries()) {
        for (const [path, content] of Object.entries(library)) {
          const file = join(folder, String(at), path);
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, content);
        }
        stages.push(`${at}/a.usda`, `${at}/crate.usdc`);
        crates.push([join(folder, `${at}/a.usda`), join(folder, `${at}/crate.usdc`)]);
      }
      const program = fileURLToPath(new URL('usd-oracle.py', import.meta.url));
      const asked = { crates, stages: stages.map((path) => join(folder, path)) };
      const answer = execFileSync(CLIENTS_PYTHON, [program], {
        input: JSON.stringify(asked),
        encoding: 'utf8',
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      const theirs = JSON.parse(answer, rounded) as unknown[];
      const own = asked.stages.map((path) => summaryOf(stageOf(path)));
      const names = Object.keys(LIBRARIES).flatMap((name) => [name, `${name}, as a crate`]);
      expect(own.map((stage, at) => [names[at], stage])).toEqual(
        theirs.map((stage, at) => [names[at], stage]),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function stageOf(path: string): UsdStage {
  const folder = dirname(path);
  const files = ['a.usda', 'b.usda', 'c.usda', 'r.usda', 'sub.usda', 'set.usda', 'pack.usdz', 'crate.usdc'];
  const index = new FileIndex(files.filter((file) => existsSync(join(folder, file))));
  return openStage(path.slice(folder.length + 1), {
    index,
    read: (file) => readFileSync(join(folder, file)),
  });
}

function summaryOf(stage: UsdStage): unknown {
  const prims: PrimSummary[] = [];
  const visit = (prim: UsdPrim) => {
    prims.push({
      path: prim.path,
      type: prim.typeName,
      schemas: prim.schemas,
      kind: prim.metadata('kind') ?? null,
      variants: stage.variants(prim).map(({ set, choices, selected }) => [set, choices.toSorted(), selected]),
      properties: Object.fromEntries(prim.properties.map((name) => [name, propertyOf(prim, name)])),
    });
    prim.children.forEach(visit);
  };
  stage.roots.forEach(visit);
  const { up, metersPerUnit, defaultPrim } = stage;
  return JSON.parse(
    JSON.stringify({ up, metersPerUnit, default: defaultPrim?.path ?? null, prims }),
    rounded,
  );
}

function propertyOf(prim: UsdPrim, name: string): unknown {
  if (prim.metadata('isRelationship', name)) return { targets: prim.targets(name) };
  return {
    value: plain(prim.value(name)),
    connections: prim.connections(name),
    interpolation: prim.metadata('interpolation', name) ?? null,
  };
}

function plain(value: UsdValue | undefined): unknown {
  if (value === undefined || typeof value === 'string') return value ?? null;
  if (isAsset(value)) return `@${value.asset}`;
  if (typeof value === 'number' || typeof value === 'boolean') return [Number(value)];
  return [...(value as readonly unknown[])].map((item) => (isAsset(item) ? `@${item.asset}` : item));
}

/** Numbers as those of single precision compare. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(6)) : value;
}

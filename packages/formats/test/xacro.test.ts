// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how macros are written
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CLIENTS_PYTHON, missingPythonClients } from '../../../test/python-clients.ts';
import { canRun } from '../../sdk/test/credentials/needed-programs.ts';
import { ExpansionError, expandXacro, FileIndex, type MacroFiles } from '../src/index.ts';

type Library = Readonly<Record<string, string>>;
type Tree = [name: string, attributes: Record<string, string>, children: Tree[]];

function filesOf(library: Library): MacroFiles {
  const index = new FileIndex(Object.keys(library));
  return { index, read: (path) => new TextEncoder().encode(library[path]) };
}

function expanded(library: Library, given: Readonly<Record<string, string>> = {}): Tree {
  const treeOf = ({ name, attributes, children }: ReturnType<typeof expandXacro>['root']): Tree => [
    name,
    Object.fromEntries(Object.entries(attributes).filter(([attribute]) => !attribute.startsWith('xmlns'))),
    children.map(treeOf),
  ];
  return treeOf(expandXacro('robot.xacro', filesOf(library), new Map(Object.entries(given))).root);
}

const robot = (content: string) =>
  `<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">${content}</robot>`;
const model = (content: string, others: Library = {}): Library => ({
  'robot.xacro': robot(content),
  ...others,
});

/** Expressions, with what they are in a text. */
const EXPRESSIONS = `
1 + 2 | 1/2 | 4/2 | 7//2 | -7//2 | -7 % 3 | 7.5 % -2 | 2**10 | 2**-1 | -2**2 | 2**0.5 | 0.1+0.2 | 1e-5 | 1e16 | 1.5e300*1e10
123456789012345678901234567890 | 1e22 | 0.0001 | 0.00001234 | 100000.0 | -0.0 | 3.0 | inf | -inf | nan
pi | pi/180*90 | sin(pi/6) | math.cos(0) | atan2(1, 2) | sqrt(2) | radians(90) | degrees(pi) | floor(-1.5) | ceil(1.2) | hypot(3,4) | log(8, 2) | fabs(-2)
max(1, 2.5) | min([3, 1, 2]) | python.abs(-3) | round(2.5) | round(3.5) | round(2.675, 2) | round(1.005, 2) | round(-1.5) | int(3.9) | int('12') | float('1e-3') | bool(0) | len('abc') | str(1.0)
True and False | not 0 | 1 if 2 > 1 else 0 | 'a' or 'b' | '' or 'b' | 1 < 2 < 3 | 1 < 2 > 3 | 1 == 1.0 | 'a' == "a" | 2 in [1, 2] | 'b' not in 'abc' | None is None | 1 != 2
'a' + 'b' | 'ab' * 3 | [1, 2] + [3.0] | [0] * 3 | 'left_right'.split('_') | ' x '.strip() | 'Ab'.lower() | 'ab'.upper() | 'a-b'.replace('-', '_') | 'abc'.startswith('ab') | '_'.join(['a', 'b'])
'%d/%s/%.3f' % (3, 'x', 0.5) | '%02d' % 7 | '%5.1f/%-5d/%+d/%05d' % (1.25, 2, 3, -4) | '%e %g %g %g' % (12345.678, 1e-7, 100000, 1e6) | '%s%%' % 5
[1, 2, 3][0] | [1, 2, 3][-1] | 'abc'[1] | [1, 2, 3][1:] | 'abcdef'[1:3] | 'abc'[::-1] | [x * 2 for x in [1, 2, 3]] | [x for x in range(5) if x % 2] | sum([1, 2, 3]) if False else 6
dict(a=1, b=2)['b'] | dict(a=1).get('c', 5) | list(range(3)) | python.sum([0.1]*3) | list(map(str, [1, 2])) | python.list(python.zip([1, 2], [3, 4]))[0][1] | python.sorted([3, 1, 2]) | python.any([x > 2 for x in [1, 3]])
(1, 2)[1] | 1 | 2 | 6 & 3 | 5 ^ 1 | 1 << 4 | 256 >> 2 | ~5 | - -3 | +4 | 1_000 | r'a\\n' | 'a' 'b' | "it's" | ['it\\'s'] | 0.1 * 3 | 1/3 | 2/3*3 | 100*1.1 | 5e-324 | 1.7976931348623157e308
`
  .split(/ \| |\n/)
  .map((expression) => expression.trim())
  .filter((expression) => expression !== '');

const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
const evaluating = (expression: string) => model(`<a v="\${${escaped(expression)}}"/>`);

/** Documents by what they show. */
const DOCUMENTS: Readonly<Record<string, Library>> = {
  'properties, lazily, in terms of later ones': model(
    '<xacro:property name="a" value="${b * 2}"/><xacro:property name="b" value="3"/><x v="${a}" w="${a} ${b}"/>',
  ),
  'literals: numbers lose their zeros, and underscores stay': model(
    '<xacro:property name="n" value="0.10"/><xacro:property name="t" value="1_0"/><xacro:property name="q" value="\'5\'"/><xacro:property name="b" value="true"/><x n="${n}" t="${t}" q="${q}${q}" b="${b}" p="0.10"/>',
  ),
  'defaults only where nothing is defined': model(
    '<xacro:property name="a" value="1"/><xacro:property name="a" default="2"/><xacro:property name="b" default="2"/><x v="${a}${b}"/>',
  ),
  'properties of the caller and of everybody': model(
    '<xacro:macro name="m"><xacro:property name="p" value="${1+1}" scope="parent"/><xacro:property name="g" value="7" scope="global"/><xacro:property name="own" value="1"/></xacro:macro><xacro:macro name="outer"><xacro:m/><in p="${p}"/></xacro:macro><xacro:outer/><x g="${g}"/>',
  ),
  'removed properties': model(
    '<xacro:property name="a" value="1"/><xacro:property name="a" remove="true"/><xacro:property name="a" default="5"/><x v="${a}"/>',
  ),
  'macros with parameters, defaults, forwarded properties and blocks': model(
    '<xacro:macro name="leg" params="name side:=1 *origin **more len:=^|0.5 label:=\'a b\'"><link name="${name}" side="${side}" len="${len}" label="${label}"><xacro:insert_block name="origin"/><xacro:insert_block name="more"/></link></xacro:macro><xacro:property name="len" value="2"/><xacro:leg name="l${1}"><origin xyz="${len} 0 0"/><all><a/><b v="${len}"/></all></xacro:leg>',
  ),
  'a list that a macro takes its elements from, until none is left': model(
    '<xacro:property name="names" value="${[k for k in [\'a\', \'b\']]}"/><xacro:macro name="each" params="items"><xacro:if value="${items}"><xacro:property name="n" value="${items.pop(0)}"/><link name="${n}"/><xacro:each items="${items}"/></xacro:if></xacro:macro><xacro:each items="${names}"/><x left="${len(names)}"/>',
  ),
  'macros that call macros, and themselves until a condition ends it': model(
    '<xacro:macro name="chain" params="n"><link name="l${n}"/><xacro:if value="${n > 0}"><xacro:chain n="${n-1}"/></xacro:if></xacro:macro><xacro:chain n="4"/>',
  ),
  'a macro chosen by its name': model(
    '<xacro:macro name="a" params="v"><x v="${v}"/></xacro:macro><xacro:property name="which" value="a"/><xacro:call macro="${which}" v="3"/>',
  ),
  'conditions of every form': model(
    '<xacro:if value="1"><a/></xacro:if><xacro:if value="${0}"><b/></xacro:if><xacro:unless value="false"><c/></xacro:unless><xacro:if value="${\'x\' == \'x\'}"><d><xacro:if value="True"><e/></xacro:if></d></xacro:if>',
  ),
  'arguments with defaults': model(
    '<xacro:arg name="n" default="3"/><xacro:arg name="n" default="4"/><x v="$(arg n)" w="${xacro.arg(\'n\')}" e="$(eval 2 * n)"/>',
  ),
  'blocks as properties': model(
    '<xacro:property name="inertia"><mass value="${m}"/><inertia ixx="1"/></xacro:property><xacro:property name="m" value="2.50"/><inertial><xacro:insert_block name="inertia"/></inertial>',
  ),
  'computed elements and attributes': model(
    '<xacro:property name="t" value="box"/><xacro:element xacro:name="${t}" size="1"/><x><xacro:attribute name="a${1}" value="b"/></x>',
  ),
  'dollar signs that are none of its business': model('<x a="$${b}" b="$$(c)" c="$d" d="100$" e="a$b${1}"/>'),
  'files that include files, with their macros and properties': model(
    '<xacro:include filename="parts/common.xacro"/><xacro:part name="a"/><x v="${size}"/>',
    {
      'parts/common.xacro': robot(
        '<xacro:include filename="sizes.xacro"/><xacro:macro name="part" params="name"><link name="${name}" size="${size}"/></xacro:macro><world/>',
      ),
      'parts/sizes.xacro': robot('<xacro:property name="size" value="0.25"/>'),
    },
  ),
  'namespaces of includes': model(
    '<xacro:include filename="common.xacro" ns="c"/><xacro:c.part/><x v="${c.size * 2}"/>',
    {
      'common.xacro': robot(
        '<xacro:property name="size" value="2"/><xacro:macro name="part"><link size="${size}"/></xacro:macro>',
      ),
    },
  ),
  'files whose names fit a pattern, in the order of their names': model(
    '<xacro:include filename="parts/[a-c]*.xacro"/><xacro:include filename="parts/none*.xacro"/><xacro:include filename="*/?-last.xacro"/><x/>',
    {
      'parts/b-second.xacro': robot('<b/>'),
      'parts/a-first.xacro': robot('<a/>'),
      'parts/a-first.yaml': 'no: macros',
      'parts/d-other.xacro': robot('<d/>'),
      'parts/.b-hidden.xacro': robot('<hidden/>'),
      'parts/z-last.xacro': robot('<z/>'),
    },
  ),
  'all files that a pattern matches, in order': model(
    '<xacro:include filename="parts/*/arm_[!c-d]?.xacro"/><xacro:include filename="*e.xacro"/><xacro:include filename="none*.xacro"/><x/>',
    {
      'parts/b/arm_b1.xacro': robot('<b1/>'),
      'parts/a/arm_a1.xacro': robot('<a1/>'),
      'parts/a/arm_c1.xacro': robot('<c1/>'),
      'parts/a/arm_a12.xacro': robot('<a12/>'),
      'parts/arm_a1.xacro': robot('<above/>'),
      'here.xacro': robot('<here/>'),
      'beside.xacro': robot('<beside/>'),
    },
  ),
  'an optional file that is not there': model('<xacro:include filename="none.xacro" optional="true"/><x/>'),
  'YAML with a key twice': model(
    '<xacro:property name="c" value="${xacro.load_yaml(\'c.yaml\')}"/><x a="${c.a}" b="${c.b.x}"/>',
    { 'c.yaml': 'a: 1\nb: {x: 1}\na: 2\nb: {x: 3}\n' },
  ),
  'YAML with units, anchors and lists': model(
    '<xacro:property name="c" value="${xacro.load_yaml(\'c.yaml\')}"/><x a="${c[\'limits\'][\'pan\'][\'max\']}" b="${c.limits.pan.min}" y="${c[\'y\']}" l="${c.list[1]}" on="${c.on_off}" h="${c.hex}" e="${c.e}" f="${c.f}" z="${c.zero}" m="${c.merged.a}"/><xacro:if value="${c.on_off}"><on/></xacro:if>',
    {
      'c.yaml':
        'limits:\n  pan: {max: !degrees 90.0, min: -1.5}\ny: 3\nlist: [a, 0.10]\non_off: on\nhex: 0x10\ne: 1e3\nf: 1.0e+3\nzero: 010\nbase: &b {a: 5}\nmerged: {<<: *b, c: 1}\n',
    },
  ),
};

/** Documents that cannot be expanded, with why. */
const REFUSED: Readonly<Record<string, [Library, RegExp]>> = {
  'an argument that is used before it is defined': [
    model('<x v="$(arg n)"/><xacro:arg name="n" default="a"/>'),
    /^robot\.xacro:1: the argument "n" is used before it is defined$/,
  ],
  'an undefined name': [model('\n<x v="${y}"/>'), /^robot\.xacro:2: "y" is not defined, in \$\{y\}$/],
  'a macro that there is not': [model('<xacro:wheel/>'), /^robot\.xacro:1: there is no macro "wheel"$/],
  'a parameter that a macro does not have': [
    model('<xacro:macro name="m" params="a"/><xacro:m a="1" b="2"/>'),
    /the macro "m" has no parameter "b"/,
  ],
  'a parameter that is not given': [
    model('<xacro:macro name="m" params="a"/><xacro:m/>'),
    /the macro "m" needs "a"/,
  ],
  'an included file that is not there': [
    model('<xacro:include filename="$(find arm)/a.xacro"/>'),
    /there is no file/,
  ],
  'a mistake in an included file': [
    model('<xacro:include filename="b.xacro"/>', { 'b.xacro': robot('\n\n<x v="${1 +}"/>') }),
    /^b\.xacro:3: the expression is incomplete, in \$\{1 \+\}$/,
  ],
  'a property that is defined by itself': [
    model('<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/><x v="${a}"/>'),
    /is defined by itself/,
  ],
  'a condition that is neither true nor false': [
    model('<xacro:if value="maybe"><x/></xacro:if>'),
    /neither true nor false/,
  ],
  'an argument without a value': [model('<x v="$(arg n)"/>'), /the argument "n" has no value/],
  'division by zero': [model('<x v="${1/0}"/>'), /division by zero/],
  'a name of the interpreter': [model('<x v="${__import__(\'os\')}"/>'), /is not allowed/],
  'an attribute of the interpreter': [model('<x v="${().__class__}"/>'), /has no "__class__"/],
};

describe.runIf(canRun('xacro', missingPythonClients()))('as the xacro of ROS does', () => {
  const asked: { library: Library; name: string }[] = [
    ...EXPRESSIONS.map((expression) => ({ name: expression, library: evaluating(expression) })),
    ...Object.entries(DOCUMENTS).map(([name, library]) => ({ name, library })),
  ];

  test('expands documents and evaluates expressions', () => {
    const folder = mkdtempSync(join(tmpdir(), 'bindery-xacro-'));
    try {
      const files = asked.map(({ library }, at) => {
        for (const [path, text] of Object.entries(library)) {
          const file = join(folder, String(at), path);
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, text);
        }
        return [join(folder, String(at), 'robot.xacro'), {}];
      });
      const program = fileURLToPath(new URL('xacro-oracle.py', import.meta.url));
      const answers = JSON.parse(
        execFileSync(CLIENTS_PYTHON, [program], { input: JSON.stringify(files), encoding: 'utf8' }),
      ) as (Tree | string)[];
      const own = asked.map(({ library }) => {
        try {
          return expanded(library);
        } catch (error) {
          return (error as Error).message;
        }
      });
      expect(asked.map(({ name }, at) => [name, own[at]])).toEqual(
        asked.map(({ name }, at) => [name, answers[at]]),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a robot in xacro', () => {
  test('reads files and arguments, and says which', () => {
    const library = model(
      '<xacro:arg name="side" default="left"/><xacro:include filename="a.xacro"/><x s="$(arg side)"/>',
      {
        'a.xacro': robot('<xacro:property name="c" value="${load_yaml(\'c.yaml\')}"/><y v="${c.k}"/>'),
        'c.yaml': 'k: 1',
      },
    );
    const { files, arguments: taken } = expandXacro(
      'robot.xacro',
      filesOf(library),
      new Map([['side', 'right']]),
    );
    expect([...files].sort()).toEqual(['a.xacro', 'c.yaml', 'robot.xacro']);
    expect(Object.fromEntries(taken)).toEqual({ side: 'right' });
    expect(expanded(library, { side: 'right' })[2].at(-1)).toEqual(['x', { s: 'right' }, []]);
  });

  test('for many robots is that of the first for which there are files, and says for which there are', () => {
    const library = {
      'urdf/robot.xacro': robot(
        '<xacro:arg name="type" default="x0"/><xacro:property name="c" value="${load_yaml(\'../config/\' + xacro.arg(\'type\') + \'/limits.yaml\')}"/><x v="${c.k}" t="$(arg type)"/>',
      ),
      'config/x2/limits.yaml': 'k: 2',
      'config/x1/limits.yaml': 'k: 1',
      'config/none/other.yaml': 'k: 0',
    };
    const { root, choices, arguments: used } = expandXacro('urdf/robot.xacro', filesOf(library));
    expect(root.children.map(({ attributes }) => attributes)).toEqual([{ v: '1', t: 'x1' }]);
    expect(Object.fromEntries(choices)).toEqual({ type: ['x1', 'x2'] });
    expect(Object.fromEntries(used)).toEqual({ type: 'x1' });
    const given = new Map([['type', 'x9']]);
    expect(() => expandXacro('urdf/robot.xacro', filesOf(library), given)).toThrow(
      'there is no file "../config/x9/limits.yaml"',
    );
  });

  test('is named like its file if only a launch file would name it', () => {
    const named = '<xacro:arg name="name" default="robot"/><x v="$(arg name)"/>';
    const library = { 'ur.urdf.xacro': robot(named).replace('"r"', '"$(arg name)"') };
    expect(expandXacro('ur.urdf.xacro', filesOf(library)).root.attributes.name).toBe('ur');
  });

  test('finds packages by their names, and passes them on to meshes', () => {
    const library = {
      'robot.xacro': robot('<xacro:include filename="$(find arm)/urdf/arm.xacro"/>'),
      'arm/package.xml': '<package/>',
      'arm/urdf/arm.xacro': robot(
        '<mesh filename="package://arm/meshes/a.stl"/><mesh filename="file://$(find arm)/b.stl"/>',
      ),
    };
    expect(expanded(library)[2].map(([, { filename }]) => filename)).toEqual([
      'package://arm/meshes/a.stl',
      'file://package://arm/b.stl',
    ]);
  });

  test('leaves out what only packages that are not there can define, if they may be absent', () => {
    const files = filesOf(
      model(
        '<xacro:include filename="$(find lidars)/lidar.xacro"/><link name="a"/><xacro:lidar at="${gone}"/><link name="b"/>',
      ),
    );
    const { root, gaps } = expandXacro('robot.xacro', files, new Map(), 'absent');
    expect(root.children.map(({ attributes }) => attributes.name)).toEqual(['a', 'b']);
    expect(gaps).toEqual([
      {
        file: 'robot.xacro',
        line: 1,
        reason: 'there is no file "package://lidars/lidar.xacro"',
        reference: 'package://lidars/lidar.xacro',
      },
      { file: 'robot.xacro', line: 1, reason: 'there is no macro "lidar"' },
    ]);
    expect(() => expandXacro('robot.xacro', files)).toThrow(
      'there is no file "package://lidars/lidar.xacro"',
    );
    const typo = filesOf(model('<xacro:lidra/>'));
    expect(() => expandXacro('robot.xacro', typo, new Map(), 'absent')).toThrow('there is no macro "lidra"');
  });

  test.each(Object.entries(REFUSED))(
    'is refused with the file and line for %s',
    (_name, [library, message]) => {
      expect(() => expanded(library)).toThrow(ExpansionError);
      expect(() => expanded(library)).toThrow(message);
    },
  );

  test.each<[string, Library]>([
    ['a macro that calls itself', model('<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>')],
    [
      'a macro that calls itself twice',
      model(
        '<xacro:macro name="m" params="n"><xacro:if value="${n}"><xacro:m n="${n-1}"/><xacro:m n="${n-1}"/></xacro:if></xacro:macro><xacro:m n="60"/>',
      ),
    ],
    ['a file that includes itself', model('<xacro:include filename="robot.xacro"/>')],
    [
      'a text that doubles',
      model(`<xacro:property name="a" value="\${'x' * 999999}"/><x v="\${a * 999999}"/>`),
    ],
    ['a number that grows', model('<x v="${9**9**9}"/>')],
    [
      'lists in lists',
      model('<x v="${[[[0 for a in range(1000)] for b in range(1000)] for c in range(1000)]}"/>'),
    ],
    ['brackets in brackets', model(`<x v="\${${'('.repeat(5_000)}1${')'.repeat(5_000)}}"/>`)],
  ])('that only fills memory or time is refused: %s', (_name, library) => {
    expect(() => expanded(library)).toThrow(/nested too deeply|more than can be read|too long|too large/);
  });
});

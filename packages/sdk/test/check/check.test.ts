// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how macros are written
import { readFileSync } from 'node:fs';
import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { checkModels } from '../../../render/src/check-models.ts';
import { checkLibrary } from '../../src/check/check.ts';
import type { ModelChecks } from '../../src/check/models.ts';
import { sarifOf } from '../../src/check/sarif.ts';
import { CODES } from '../../src/curation/check-codes.ts';
import { previewOf } from '../../src/discovery/discovered-library.ts';
import { discoverLibrary } from '../../src/local-discovery/discover-library.ts';
import { glb, LFS_POINTER, model, OBJ, ply, STL, sdf, urdf } from '../discovery/models.ts';
import { folderWith } from '../folder.ts';

/** As `library check` has models judged, but in this process. */
const MODELS: ModelChecks = { concurrency: 1, check: checkModels };

/** A picture whose chunks have no checksums. */
const PNG = Buffer.concat([
  Buffer.from('89504e470d0a1a0a', 'hex'),
  chunk('IHDR', 13),
  chunk('IDAT', 40),
  chunk('IEND', 0),
]);

function chunk(name: string, size: number): Buffer {
  const bytes = Buffer.alloc(12 + size);
  bytes.writeUInt32BE(size, 0);
  bytes.write(name, 4, 'latin1');
  return bytes;
}

async function checked(files: Record<string, string | Uint8Array>, models = MODELS) {
  const report = await checkLibrary(discoverLibrary(folderWith(files)), models);
  return {
    ...report,
    problems: report.problems
      .filter(({ code }) => code !== 'license-missing')
      .map(({ code, file, line }) => [code, line === null ? file : `${file}:${line}`]),
  };
}

function link(inertial: string): string {
  return `<robot name="r">\n<link name="base">\n<inertial>${inertial}</inertial></link></robot>`;
}

function inertia(ixx: number, iyy: number, izz: number, ixy = 0): string {
  return `<mass value="1"/><inertia ixx="${ixx}" ixy="${ixy}" ixz="0" iyy="${iyy}" iyz="0" izz="${izz}"/>`;
}

describe('references', () => {
  test('that are missing, guessed, outside the library or in another letter case are reported with file and line', async () => {
    const { problems } = await checked({
      'arm/arm.urdf': `<robot name="r"><link name="l">
<visual><geometry><mesh filename="Meshes/A.stl"/></geometry></visual>
<visual><geometry><mesh filename="meshes/gone.stl"/></geometry></visual>
<visual><geometry><mesh filename="package://other/deep/meshes/a.stl"/></geometry></visual>
<visual><geometry><mesh filename="https://example.test/a.stl"/></geometry></visual>
</link></robot>`,
      'arm/meshes/a.stl': STL,
    });
    expect(problems).toEqual([
      ['reference-letter-case', 'arm/arm.urdf:2'],
      ['reference-missing', 'arm/arm.urdf:3'],
      ['reference-guessed', 'arm/arm.urdf:4'],
      ['reference-outside', 'arm/arm.urdf:5'],
    ]);
  });

  test('that only running xacro tells are reported', async () => {
    const { problems } = await checked({
      'arm/arm.urdf.xacro':
        '<robot xmlns:xacro="x"><xacro:arg name="m"/>\n<xacro:include filename="$(find arm_$(arg m))/a.xacro"/><link name="l"/></robot>',
    });
    expect(problems.filter(([code]) => code === 'reference-not-followed')).toEqual([
      ['reference-not-followed', 'arm/arm.urdf.xacro:2'],
    ]);
  });

  test('of macros that no program can expand are errors, and those that need what is not here are warnings', async () => {
    const robot = (content: string) => `<robot name="r" xmlns:xacro="x"><link name="l"/>\n${content}</robot>`;
    const report = async (content: string) => {
      const { problems } = await checkLibrary(
        discoverLibrary(folderWith({ 'arm/arm.xacro': robot(content) })),
        null,
      );
      return problems
        .filter(({ code }) => code !== 'license-missing')
        .map(({ code, severity, line }) => [code, severity, line]);
    };
    expect(await report('<a b="${1 +}"/>')).toEqual([['macros-not-expanded', 'error', 2]]);
    expect(await report('<xacro:if value="${[1] * 1000000 == [2]}"/>')).toEqual([
      ['macros-not-expanded', 'error', 2],
    ]);
    expect(await report(`<xacro:macro name="m" params="a:='b"/>`)).toEqual([
      ['macros-not-expanded', 'error', 2],
    ]);
    expect(await report('<a b="$(arg speed)"/>')).toEqual([['macros-not-expanded', 'warning', 2]]);
  });

  test('of USD are reported with their lines, but neither remote ones nor materials that renderers bring', async () => {
    const report = await checkLibrary(
      discoverLibrary(
        folderWith({
          'cup/cup.usda': `#usda 1.0
def "Cup" (references = [@gone.usd@, @omniverse://host/a.usd@])
{
    asset info:mdl:sourceAsset = @OmniPBR.mdl@
    asset inputs:file = @./tex/gone.png@
    asset info:id = @PxrSurface@
    asset info:sourceAsset = @./own.osl@
}`,
          'cup/crate.usd': 'PXR-USDC and nothing more',
          'cup/archive.usdz': 'PK\u0003\u0004',
        }),
      ),
      null,
    );
    expect(
      report.problems
        .filter(({ code }) => /^(?:reference|file)/.test(code))
        .map(({ severity, code, file, line }) => [severity, code, file, line]),
    ).toEqual([
      ['error', 'file-unreadable', 'cup/archive.usdz', null],
      ['error', 'file-unreadable', 'cup/crate.usd', null],
      ['error', 'reference-missing', 'cup/cup.usda', 2],
      ['error', 'reference-missing', 'cup/cup.usda', 5],
      ['error', 'reference-missing', 'cup/cup.usda', 7],
      ['note', 'reference-outside', 'cup/cup.usda', 2],
      ['note', 'reference-outside', 'cup/cup.usda', 4],
      ['note', 'reference-outside', 'cup/cup.usda', 6],
    ]);
  });

  test('to stock models of Gazebo are not missing, and those to tiles of a texture mean every tile', async () => {
    const report = await checkLibrary(
      discoverLibrary(
        folderWith({
          'worlds/yard.world':
            '<sdf version="1.6"><world name="w"><include><uri>model://sun</uri></include><include><uri>model://ground_plane</uri></include></world></sdf>',
          'cup/cup.usda':
            '#usda 1.0\ndef "cup" {\n asset a = @./tex/n.<UDIM>.png@\n asset b = @./tex/gone.<UDIM>.png@\n}\n',
          'cup/tex/n.1001.png': 'x',
          'cup/tex/n.1012.png': 'x',
        }),
      ),
      null,
    );
    expect(report.problems.filter(({ code }) => /^reference/.test(code))).toMatchObject([
      { severity: 'error', code: 'reference-missing', message: expect.stringContaining('gone.<UDIM>.png') },
      { severity: 'note', code: 'reference-outside' },
      { severity: 'note', code: 'reference-outside' },
    ]);
  });

  test('to the normal map that SDFormat gives by default name no file', async () => {
    const crate = sdf('<uri>model://crate/part.obj</uri>').replace(
      '</geometry>',
      '</geometry><material><shader type="vertex"><normal_map>__default__</normal_map></shader></material>',
    );
    const { problems, assets } = await checked({ 'crate/model.sdf': crate, 'crate/part.obj': OBJ });
    expect([problems, assets]).toEqual([[], 1]);
  });

  test('that resolve as written are not reported', async () => {
    const { problems, assets } = await checked({
      'arm/arm.urdf': urdf('meshes/a.stl'),
      'arm/meshes/a.stl': STL,
    });
    expect({ problems, assets }).toEqual({ problems: [], assets: 1 });
  });

  test('to a missing material are reported as material-missing, a damaged file as file-unreadable', async () => {
    const { problems } = await checked({
      'arm/arm.obj': `mtllib gone.mtl\n${OBJ}`,
      'hand/hand.urdf': '<robot><link>',
    });
    expect(problems).toEqual([
      ['file-unreadable', 'hand/hand.urdf'],
      ['material-missing', 'arm/arm.obj:1'],
    ]);
  });
});

describe('a file with nothing to show is reported, also when only a robot names it', () => {
  const floats = (facet: (view: DataView) => void, facets = 1): Uint8Array => {
    const bytes = stl(1);
    const view = new DataView(bytes.buffer);
    view.setUint32(80, facets, true);
    facet(view);
    return bytes;
  };
  const sound = () => {};
  const triangle = '0 0 0\n1 0 0\n0 1 0\n';

  test.each<[string, string, string | Uint8Array, string]>([
    ['an empty STL', 'a.STL', '', 'is empty'],
    ['an STL without facets', 'a.stl', 'solid a\nendsolid a\n', 'has no triangles'],
    [
      'an STL cut in its first facet',
      'a.stl',
      'solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0',
      'triangles',
    ],
    ['a binary STL without facets', 'a.stl', floats(sound, 0), 'has no triangles'],
    ['a cut STL', 'a.stl', floats(sound, 536), 'announces 536 triangles and ends before them'],
    ['an OBJ without faces', 'a.obj', '# exported\n', 'has no faces'],
    ['an OBJ whose face names no vertex', 'a.obj', OBJ.replace('f 1 2 3', 'f 1 2 9'), 'does not exist'],
    ['an OBJ of NaN', 'a.obj', OBJ.replace('v 1 0 0', 'v nan nan nan'), 'not numbers'],
    ['an STL of NaN', 'a.stl', floats((view) => view.setFloat32(100, Number.NaN, true)), 'not numbers'],
    ['an OBJ of lines', 'a.obj', OBJ.replace('f', 'l'), 'has no faces'],
    ['an OFF whose faces name no vertex', 'a.off', 'OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n', 'no faces'],
    ['a 3MF without a model', 'a.3mf', zipSync({ a: new Uint8Array(1) }), 'has no model'],
    ['VRML without geometry', 'a.wrl', '#VRML V2.0 utf8\nShape {}', 'shows nothing'],
    ['points without places', 'a.pcd', pcd('intensity'), 'has no positions'],
    ['an empty PLY', 'a.ply', '', 'is empty'],
    ['a PLY without vertices', 'a.ply', ply('x y z'), 'has no vertices'],
    ['a cut PLY', 'a.ply', ply('x y z', triangle).slice(0, -6), 'ends before its elements'],
    ['a PLY of something else', 'a.ply', '<html>', 'not a PLY file'],
    ['a cut GLB', 'a.glb', cutGlb(), 'is cut off'],
    ['a COLLADA without surfaces', 'a.dae', '<COLLADA/>', 'shows nothing'],
    ['an FBX of something else', 'a.fbx', '<html>', 'does not begin as FBX does'],
    ['an FBX without faces', 'a.fbx', fbx(''), 'shows nothing'],
    ['a PNG cut within its pixels', 'a.png', PNG.subarray(0, -30), 'is cut off'],
    ['a PNG cut after its pixels', 'a.png', PNG.subarray(0, -12), 'is cut off'],
    ['a picture of something else', 'a.png', '<html>', 'is not a picture'],
    ['a cut COLLADA', 'a.dae', '<COLLADA><library_geometries>', 'not well-formed'],
    ...['stl', 'obj', 'ply', 'dae', 'glb', 'gltf', 'usd', 'fbx', 'spz', 'png', 'xml', 'bin'].map(
      (extension): [string, string, string, string] => [
        `a Git LFS pointer .${extension}`,
        `a.${extension}`,
        LFS_POINTER,
        'git lfs pull',
      ],
    ),
  ])('%s', async (_title, name, content, message) => {
    const robot = await checkLibrary(
      discoverLibrary(
        folderWith({ 'arm/arm.urdf': urdf(`meshes/${name}`), [`arm/meshes/${name}`]: content }),
      ),
      MODELS,
    );
    const alone = await checkLibrary(discoverLibrary(folderWith({ [`thing/${name}`]: content })), MODELS);
    for (const [report, file] of [
      [robot, `arm/meshes/${name}`],
      [alone, `thing/${name}`],
    ] as const) {
      expect(report.problems.filter(({ code }) => code === 'file-unreadable')).toEqual([
        expect.objectContaining({ file, severity: 'error', message: expect.stringContaining(message) }),
      ]);
    }
  });

  test('a mesh of which not all can be drawn is a warning', async () => {
    const { problems } = await checkLibrary(
      discoverLibrary(
        folderWith({
          'a/a.stl': `${STL.replace('endsolid', '')}facet\nvertex nan 0 0\nvertex 1 0 0\nvertex 0 1 0\nendfacet\nendsolid\n`,
          'b/b.obj': `${OBJ}v nan nan nan\nf 1 2 4\n`,
        }),
      ),
      MODELS,
    );
    expect(problems.filter(({ code }) => code === 'file-unreadable')).toEqual(
      ['a/a.stl', 'b/b.obj'].map((file) =>
        expect.objectContaining({
          file,
          severity: 'warning',
          message: expect.stringContaining('not numbers'),
        }),
      ),
    );
  });

  test('a mesh that cannot be read in time is named, and no other one', async () => {
    const slow: ModelChecks = {
      concurrency: 1,
      check: async (models) =>
        models.files.some(({ file }) => file === 'arm/slow.obj')
          ? { unfinished: 'took too long' }
          : checkModels(models),
    };
    const files = { 'arm/arm.urdf': urdf('slow.obj'), 'arm/slow.obj': OBJ, 'arm/sound.stl': STL };
    expect((await checked(files, slow)).problems).toEqual([['model-not-checked', 'arm/slow.obj']]);
  });

  test('sound meshes are not', async () => {
    const { problems } = await checked({
      'a/a.stl': stl(1),
      'b/b.stl': STL,
      'c/c.obj': OBJ,
      'd/d.ply': ply('x y z', triangle),
      'e/e.gltf': GLTF,
      'f/walk.dae': '<COLLADA><library_animations/></COLLADA>',
    });
    expect(problems).toEqual([]);
  });
});

describe('physical properties', () => {
  test.each([
    ['a solid ball', inertia(0.4, 0.4, 0.4), []],
    ['a flat plate, at the limit', inertia(1, 1, 2), []],
    ['a frame with zero inertia', inertia(0, 0, 0), []],
    ['a moment larger than the sum of the others', inertia(1, 1, 3), ['inertia-impossible']],
    ['a negative moment', inertia(-1, 1, 1), ['inertia-impossible']],
    ['an impossible inertia in rotated axes', inertia(2, 2, 1, 1.5), ['inertia-impossible']],
    ['a possible inertia in rotated axes', inertia(1, 1, 1, 0.2), []],
    ['a frame without mass', inertia(0, 0, 0).replace('value="1"', 'value="0"'), []],
    ['a negative mass', inertia(1, 1, 1).replace('value="1"', 'value="-1"'), ['mass-not-positive']],
    ['a mass without inertia', '<mass value="1"/>', ['model-invalid']],
  ])('are checked for %s', async (_name, inertial, expected) => {
    const { problems } = await checked({ 'arm/arm.urdf': link(inertial) });
    expect(problems.map(([code]) => code)).toEqual(expected);
  });

  test('are checked in what macros expand to, and found where they are written', async () => {
    const robot = (content: string) => `<robot name="arm" xmlns:xacro="x">${content}</robot>`;
    const { problems } = await checked({
      'arm/arm.urdf.xacro': robot(
        '\n<xacro:include filename="parts/*.xacro"/>\n<xacro:part name="a" mass="2"/>\n<xacro:part name="b" mass="-2"/>',
      ),
      'arm/parts/part.xacro': robot(
        `\n<xacro:macro name="part" params="name mass">\n<link name="\${name}"><inertial>\n<mass value="\${mass}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></xacro:macro>`,
      ),
    });
    expect(problems).toEqual([
      ['model-invalid', 'arm/parts/part.xacro:3'],
      ['mass-not-positive', 'arm/parts/part.xacro:4'],
    ]);
  });

  test('are checked in SDFormat too, including joint limits', async () => {
    const { problems } = await checked({
      'arm/model.sdf': `<sdf version="1.6"><model name="m"><link name="l"><inertial><mass>-1</mass>
<inertia><ixx>1</ixx><iyy>1</iyy><izz>5</izz></inertia></inertial></link>
<link name="k"/><joint name="j" type="revolute"><parent>l</parent><child>k</child><axis><xyz>1 0 0</xyz><limit><lower>1</lower><upper>-1</upper></limit></axis></joint></model></sdf>`,
    });
    expect(problems.map(([code]) => code)).toEqual([
      'mass-not-positive',
      'inertia-impossible',
      'joint-limits-reversed',
    ]);
  });
});

test('a model of SDFormat without links is checked, and refused', async () => {
  const { problems } = await checked({
    'arm/model.sdf': '<sdf version="1.9"><model name="arm"></model></sdf>',
  });
  expect(problems).toEqual([['model-invalid', 'arm/model.sdf:1']]);
});

test('errors from MuJoCo and the glTF validator are reported, and only entry files are passed to them', async () => {
  const asked: string[] = [];
  const models: ModelChecks = {
    concurrency: 1,
    check: async ({ format, entries }) => {
      asked.push(...entries);
      const message = format === 'mjcf' ? 'unknown joint' : 'bad accessor';
      return {
        issues: entries.map((file) => ({ file, severity: 'error', message })),
        placed: [],
        read: [],
        simulations: [],
      };
    },
  };
  const { problems } = await checked(
    {
      'arm/arm.xml': model('<include file="keys.xml"/><worldbody><body/></worldbody>'),
      'arm/keys.xml': model('<keyframe/>'),
      'fox/fox.glb': glb(),
    },
    models,
  );
  expect(asked).toEqual(['arm/arm.xml', 'fox/fox.glb']);
  expect(problems).toEqual([
    ['mjcf-does-not-compile', 'arm/arm.xml'],
    ['gltf-invalid', 'fox/fox.glb'],
  ]);
});

test('a damaged entry is not given to MuJoCo or the glTF validator as well', async () => {
  const asked: string[] = [];
  const models: ModelChecks = {
    concurrency: 1,
    check: async ({ entries }) => {
      asked.push(...entries);
      return { issues: [], placed: [], read: [], simulations: [] };
    },
  };
  const { problems } = await checked({ 'fox/fox.glb': LFS_POINTER, 'arm/arm.xml': '<mujoco>' }, models);
  expect(problems).toEqual([
    ['file-unreadable', 'arm/arm.xml'],
    ['file-unreadable', 'fox/fox.glb'],
  ]);
  expect(asked).toEqual([]);
});

test('a mesh that no viewer opens is reported where a robot names it', async () => {
  const { problems } = await checked({ 'arm/arm.urdf': urdf('a.step'), 'arm/a.step': 'ISO-10303-21;' });
  expect(problems).toEqual([
    ['file-unreadable', 'arm/a.step'],
    ['mesh-without-viewer', 'arm/arm.urdf:1'],
  ]);
});

test('a model that needs a plugin is not said to be wrong', async () => {
  const issue = { file: 'arm/arm.xml', severity: 'note', message: 'needs a plugin' } as const;
  const { problems } = await checked(
    { 'arm/arm.xml': model('<worldbody><body/></worldbody>') },
    { concurrency: 1, check: async () => ({ issues: [issue], placed: [], read: [], simulations: [] }) },
  );
  expect(problems).toEqual([['mjcf-needs-plugin', 'arm/arm.xml']]);
});

test('names that Windows or FAT cannot hold, twins in letter case or Unicode form, and long paths are reported', async () => {
  const long = `d/${'x'.repeat(210)}.obj`;
  const { problems } = await checked({
    'a/aux.obj': OBJ,
    'a/what?.txt': 'x',
    'b/Part and Whole.obj': OBJ,
    'b/part and whole.obj': `${OBJ}# other`,
    'c/caf\u00e9.txt': 'one',
    'c/cafe\u0301.txt': 'other',
    [long]: OBJ,
  });
  expect(problems.filter(([code]) => code === 'name-not-portable').map(([, file]) => file)).toEqual([
    'a/aux.obj',
    'a/what?.txt',
    'b/part and whole.obj',
    'c/caf\u00e9.txt',
    long,
  ]);
});

test('a texture of FBX that lies elsewhere on the machine of its author is no problem, a lost one is', async () => {
  const file = (path: string) => `; FBX 7.4.0 project file
Objects: {
  Material: 1, "Material::a", "" {
  }
  Texture: 2, "Texture::a", "" {
    FileName: "${path}"
  }
}
Connections: {
  C: "OP", 2, 1, "DiffuseColor"
}`;
  const { problems } = await checked({
    'bindery.yml': 'defaults: { license: MIT }',
    'a/a.fbx': file('C:\\\\Ada\\\\art\\\\wood.tga'),
    'a/textures/wood.tga': 'x',
    'b/b.fbx': file('/home/ada/lost.tga'),
  });
  expect(problems).toContainEqual(['reference-missing', 'b/b.fbx']);
  expect(problems.filter(([, file]) => file === 'a/a.fbx').map(([code]) => code)).toEqual([
    'file-unreadable',
  ]);
});

/** A triangle in glTF. */
const GLTF = JSON.stringify({
  asset: { version: '2.0' },
  scene: 0,
  scenes: [{ nodes: [0] }],
  nodes: [{ mesh: 0 }],
  meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
  accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] }],
  bufferViews: [{ buffer: 0, byteLength: 36 }],
  buffers: [
    {
      byteLength: 36,
      uri: `data:application/octet-stream;base64,${Buffer.from(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0).buffer).toString('base64')}`,
    },
  ],
});

/** One point in PCD with one field. */
function pcd(field: string): string {
  return `VERSION 0.7\nFIELDS ${field}\nSIZE 4\nTYPE F\nCOUNT 1\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii\n1\n`;
}

/** A mesh in FBX as text. */
function fbx(mesh: string): string {
  return `; FBX 7.4.0 project file\nObjects: {\nGeometry: 1, "Geometry::a", "Mesh" {\n${mesh}\n}\n}\n`;
}

test('non-SPDX licences, missing attribution, duplicate files and entries without a viewer are reported', async () => {
  const { problems } = await checked({
    'bindery.yml': 'assets: { a: { license: My own }, b: { license: CC-BY-4.0 } }',
    'a/a.blend': 'BLENDER',
    'b/one.txt': 'same',
    'b/two.txt': 'same',
  });
  expect(problems.map(([code]) => code).sort()).toEqual([
    'attribution-missing',
    'duplicate-files',
    'entry-without-viewer',
    'license-not-spdx',
  ]);
});

test('an asset without its own licence has that of the library, in checks and previews', async () => {
  const found = discoverLibrary(
    folderWith({
      'bindery.yml': 'library: { license: CC-BY-4.0 }\nassets: { b: { license: MIT } }',
      'a/a.obj': OBJ,
      'b/b.obj': OBJ,
    }),
  );
  expect(previewOf(found).map(({ id, license }) => [id, license])).toEqual([
    ['a', 'CC-BY-4.0'],
    ['b', 'MIT'],
  ]);
  const { problems } = await checkLibrary(found, null);
  expect(problems.flatMap(({ asset, code }) => (/licen|attrib/.test(code) ? [[asset, code]] : []))).toEqual([
    ['a', 'attribution-missing'],
  ]);
});

test('a texture too large for viewers is reported', async () => {
  const png = Buffer.concat([PNG, Buffer.from('what an editor appends')]);
  png.writeUInt32BE(10_000, 16);
  png.writeUInt32BE(1, 20);
  expect((await checked({ 'a/a.png': png })).problems).toEqual([['texture-too-large', 'a/a.png']]);
});

test('problems accepted in bindery.yml are counted but not listed', async () => {
  const { problems, accepted } = await checked({
    'bindery.yml': 'check: { accept: [duplicate-files, license-missing] }',
    'b/one.txt': 'same',
    'b/two.txt': 'same',
  });
  expect({ problems, accepted }).toEqual({ problems: [], accepted: 2 });
});

test('a problem that a validator reports twice is listed once and not counted as accepted', async () => {
  const issue = { file: 'fox/fox.glb', severity: 'error', message: 'bad accessor' } as const;
  const { problems, accepted } = await checked(
    { 'fox/fox.glb': glb() },
    {
      concurrency: 1,
      check: async () => ({ issues: [issue, issue], placed: [], read: [], simulations: [] }),
    },
  );
  expect({ problems, accepted }).toEqual({ problems: [['gltf-invalid', 'fox/fox.glb']], accepted: 0 });
});

test('a SARIF report has the rule, level and locations of each problem', async () => {
  const report = await checkLibrary(discoverLibrary(folderWith({ 'a b/x.urdf': urdf('gone.stl') })), null);
  expect(sarifOf(report, '1.2.3')).toMatchObject({
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { version: '1.2.3' } },
        results: [
          {
            ruleId: 'reference-missing',
            level: 'error',
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: 'a%20b/x.urdf' },
                  region: { startLine: 1 },
                },
              },
            ],
          },
          { ruleId: 'license-missing', level: 'note', locations: [] },
        ],
      },
    ],
  });
});

test('docs/checks.md lists exactly the check codes, with their severities', () => {
  const page = readFileSync(new URL('../../../../docs/checks.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([\w-]+)`\s*\| (\w+)/gm)].map(([, code, severity]) => [
    code,
    severity,
  ]);
  expect(Object.fromEntries(rows)).toEqual(CODES);
});

test('a model whose check did not finish is an error that names its asset', async () => {
  const models: ModelChecks = {
    concurrency: 1,
    check: async () => ({ unfinished: 'took longer than 60000 ms' }),
  };
  const report = await checkLibrary(
    discoverLibrary(folderWith({ 'arm/arm.xml': model('<worldbody><body/></worldbody>') })),
    models,
  );
  expect(report.problems).toContainEqual({
    code: 'model-not-checked',
    severity: 'error',
    asset: 'arm',
    file: 'arm/arm.xml',
    line: null,
    message: 'took longer than 60000 ms',
  });
});

describe('the scale of meshes', () => {
  const long = (side: number) => `v 0 0 0\nv ${side} 0 0\nv 0 ${side / 2} 0\nf 1 2 3\n`;
  const scaled = (scale: string) =>
    `<robot name="r"><link name="l"><visual><geometry>\n<mesh filename="package://arm/part.obj" ${scale}/></geometry></visual></link></robot>`;

  test.each([
    ['millimetres taken for metres', long(320), ''],
    ['millimetres in SDFormat', long(320), 'sdf'],
    ['millimetres converted to metres twice', long(0.03), 'scale="0.001 0.001 0.001"'],
    ['a binary STL in millimetres', stl(320), 'stl'],
  ])('is reported as wrong for %s', async (_name, mesh, how) => {
    const files: Record<string, string | Uint8Array> =
      how === 'sdf'
        ? { 'arm/arm.sdf': sdf('<uri>model://arm/part.obj</uri>'), 'arm/part.obj': mesh }
        : how === 'stl'
          ? { 'arm/arm.urdf': scaled('').replace('part.obj', 'part.stl'), 'arm/part.stl': mesh }
          : { 'arm/arm.urdf': scaled(how), 'arm/part.obj': mesh };
    const { problems } = await checked(files);
    expect(problems.map(([code]) => code)).toEqual(['mesh-scale']);
  });

  test('is reported as wrong in MJCF if MuJoCo returns implausible mesh sizes', async () => {
    const mesh = (name: string, side: number) => ({ file: 'arm/arm.xml', name, side });
    const { problems } = await checked(
      { 'arm/arm.xml': model('<worldbody><body/></worldbody>') },
      {
        concurrency: 1,
        check: async () => ({
          issues: [],
          read: [],
          simulations: [],
          placed: [mesh('hand', 320), mesh('arm', 0.7), mesh('pin', 3e-6)],
        }),
      },
    );
    expect(problems).toEqual([
      ['mesh-scale', 'arm/arm.xml'],
      ['mesh-scale', 'arm/arm.xml'],
    ]);
  });

  test('is accepted if the URDF scales millimetres to metres, and for a mesh 80 m long', async () => {
    expect(
      (await checked({ 'arm/arm.urdf': scaled('scale="0.001 0.001 0.001"'), 'arm/part.obj': long(320) }))
        .problems,
    ).toEqual([]);
    expect((await checked({ 'arm/arm.urdf': scaled(''), 'arm/part.obj': long(80) })).problems).toEqual([]);
  });
});

/** A container that announces a chunk which it lacks. */
function cutGlb(): Uint8Array {
  const bytes = glb();
  new DataView(bytes.buffer).setUint32(8, bytes.byteLength + 100, true);
  return bytes;
}

/** One triangle. */
function stl(side: number): Uint8Array {
  const bytes = new Uint8Array(84 + 50);
  const view = new DataView(bytes.buffer);
  view.setUint32(80, 1, true);
  view.setFloat32(84 + 24, side, true);
  view.setFloat32(84 + 40, side / 2, true);
  return bytes;
}

import { type PylonPart, pylon } from './pylon.ts';

interface Document {
  readonly up?: 'X_UP' | 'Y_UP' | 'Z_UP';
  /** Metres of one unit. */
  readonly unit?: number;
  /** The contents of `<library_…>` elements by what follows the underscore. */
  readonly libraries: Readonly<Record<string, string>>;
  /** The nodes of the scene. */
  readonly nodes: string;
}

/** A COLLADA 1.4 document. */
export function collada({ up, unit, libraries, nodes }: Document): Uint8Array {
  const asset = `<asset>${unit === undefined ? '' : `<unit name="unit" meter="${unit}"/>`}${up ? `<up_axis>${up}</up_axis>` : ''}</asset>`;
  const library = ([name, content]: [string, string]) => `<library_${name}>${content}</library_${name}>`;
  return Buffer.from(`<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
${asset}
${Object.entries(libraries).map(library).join('\n')}
<library_visual_scenes><visual_scene id="scene">${nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>`);
}

/** Numbers in a `<source>` of rows this wide. */
export function source(id: string, width: number, values: readonly number[]): string {
  return `<source id="${id}"><float_array id="${id}-array" count="${values.length}">${values.join(' ')}</float_array>
<technique_common><accessor source="#${id}-array" count="${values.length / width}" stride="${width}"/></technique_common></source>`;
}

/** A mesh of positions and of primitives that take them at offset 0. */
export function geometry(
  id: string,
  positions: readonly number[],
  primitives: string,
  otherSources = '',
): string {
  return `<geometry id="${id}"><mesh>${source(`${id}-positions`, 3, positions)}${otherSources}
<vertices id="${id}-vertices"><input semantic="POSITION" source="#${id}-positions"/></vertices>
${primitives.replaceAll('VERTICES', `<input semantic="VERTEX" source="#${id}-vertices" offset="0"/>`)}</mesh></geometry>`;
}

/** A material and its effect in the common profile, from the content of a shading model. */
export function materialWithEffect(
  id: string,
  content: string,
  model = 'phong',
  parameters = '',
): Record<'materials' | 'effects', string> {
  return {
    materials: `<material id="${id}"><instance_effect url="#${id}-effect"/></material>`,
    effects: `<effect id="${id}-effect"><profile_COMMON>${parameters}<technique sid="common"><${model}>${content}</${model}></technique></profile_COMMON></effect>`,
  };
}

export function color(channel: string, ...values: readonly number[]): string {
  return `<${channel}><color>${values.join(' ')}</color></${channel}>`;
}

/** Shows a geometry, its primitives' symbol bound to a material. */
export function instanceGeometry(geometryId: string, material?: string): string {
  const bound = material
    ? `<bind_material><technique_common><instance_material symbol="paint" target="#${material}"/></technique_common></bind_material>`
    : '';
  return `<instance_geometry url="#${geometryId}">${bound}</instance_geometry>`;
}

/** The pylon, one node a part: in centimetres and Z up, or in metres and Y up. */
export function pylonDae(up: 'y' | 'z'): Uint8Array {
  const scale = up === 'z' ? 100 : 1;
  const parts = pylon(up);
  const looks = parts.map(({ name, color: rgb }) =>
    materialWithEffect(`${name}-paint`, color('diffuse', ...rgb, 1)),
  );
  return collada({
    up: up === 'z' ? 'Z_UP' : 'Y_UP',
    unit: 1 / scale,
    libraries: {
      effects: looks.map(({ effects }) => effects).join(''),
      materials: looks.map(({ materials }) => materials).join(''),
      geometries: parts.map((part) => block(part, scale)).join(''),
    },
    nodes: parts
      .map(({ name }) => `<node id="${name}-node">${instanceGeometry(name, `${name}-paint`)}</node>`)
      .join(''),
  });
}

function block({ name, positions }: PylonPart, scale: number): string {
  const corners = positions.map((value) => value * scale);
  const triangles = Array.from({ length: corners.length / 9 }, (_, index) => index * 3);
  const p = triangles.flatMap((first) => [first, first + 1, first + 2]).join(' ');
  const form =
    name === 'base'
      ? `<triangles count="${triangles.length}" material="paint">VERTICES<p>${p}</p></triangles>`
      : `<polylist count="${triangles.length}" material="paint">VERTICES<vcount>${triangles.map(() => 3).join(' ')}</vcount><p>${p}</p></polylist>`;
  return geometry(name, corners, form);
}

/**
 * Three cubes on a table, inches and X up: one with the texture `textures/checker.png`, one of glass, and one with
 * coloured corners that is turned and flattened.
 */
export function cubesDae(): Uint8Array {
  const corners = Array.from({ length: 8 }, (_, index) => [0, 1, 2].map((axis) => (index >> axis) & 1));
  const faces = [
    [0, 4, 6, 2],
    [1, 3, 7, 5],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 2, 3, 1],
    [4, 5, 7, 6],
  ];
  const inputs = `VERTICES<input semantic="TEXCOORD" source="#uv" offset="1" set="0"/>`;
  const textured = faces.flatMap((face) => face.flatMap((corner, k) => [corner, k]));
  const quads = `<polylist material="paint">${inputs}<vcount>${'4 '.repeat(6)}</vcount><p>${textured.join(' ')}</p></polylist>`;
  const colored = `<polygons>VERTICES<input semantic="COLOR" source="#rgb" offset="0"/>${faces.map((face) => `<p>${face.join(' ')}</p>`).join('')}</polygons>`;
  const sampler = `<newparam sid="surface"><surface type="2D"><init_from>checker</init_from></surface></newparam>
<newparam sid="sampler"><sampler2D><source>surface</source></sampler2D></newparam>`;
  const glass = '<transparent opaque="RGB_ZERO"><color>0.6 0.6 0.6 1</color></transparent>';
  const looks = [
    materialWithEffect(
      'checkered',
      '<diffuse><texture texture="sampler" texcoord="UV"/></diffuse>',
      'lambert',
      sampler,
    ),
    materialWithEffect('glass', color('diffuse', 0.2, 0.5, 0.9, 1) + glass),
    materialWithEffect('table', color('diffuse', 0.55, 0.4, 0.3, 1)),
  ];
  return collada({
    up: 'X_UP',
    unit: 0.0254,
    libraries: {
      images: '<image id="checker"><init_from>file://textures/checker.png</init_from></image>',
      effects: looks.map(({ effects }) => effects).join(''),
      materials: looks.map(({ materials }) => materials).join(''),
      geometries:
        geometry('cube', corners.flat(), quads, source('uv', 2, [0, 0, 1, 0, 1, 1, 0, 1])) +
        geometry('colored', corners.flat(), colored, source('rgb', 3, corners.flat())),
    },
    nodes: `<node><scale>0.2 6 3</scale><translate>-1 -0.5 -0.5</translate>${instanceGeometry('cube', 'table')}</node>
<node><translate>0 1.3 -0.5</translate>${instanceGeometry('cube', 'checkered')}</node>
<node><translate>0 -0.6 -0.4</translate>${instanceGeometry('cube', 'glass')}</node>
<node><translate>0 -1.8 0</translate><node><rotate>1 0 0 30</rotate><scale>0.5 1 1</scale><translate>0 -0.5 -0.5</translate>${instanceGeometry('colored')}</node></node>`,
  });
}

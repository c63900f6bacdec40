// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how macros are written
import { expect, test } from 'vitest';
import { memoryFiles } from '../src/index.ts';
import { renderThumbnail } from '../src/thumbnail.ts';

const robot = (content: string) =>
  `<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">${content}</robot>`;

/** Draws a robot of the given files, or returns why not. */
async function drawn(entry: string, files: Readonly<Record<string, string>>, kind = 'urdf'): Promise<string> {
  const bytes = new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
  const thumbnail = await renderThumbnail({ kind, entry, files: memoryFiles(bytes) });
  return 'warning' in thumbnail ? thumbnail.warning : Buffer.from(thumbnail.webp).toString('base64');
}

const link = (geometry: string, origin = '') =>
  `<link name="\${prefix}base"><visual>${origin}<geometry>${geometry}</geometry></visual></link>`;
const box = (size: string, xyz: string) => link(`<box size="${size}"/>`, `<origin xyz="${xyz}"/>`);

test('a robot written in macros is drawn as what they expand to', async () => {
  const plain = await drawn('r.urdf', { 'r.urdf': robot(box('2 1 1', '0 0 0.5')) });
  const macros = {
    'r_description/package.xml': '<package><name>r</name></package>',
    'r_description/urdf/r.urdf.xacro': robot(
      '<xacro:arg name="prefix" default=""/><xacro:property name="prefix" value="$(arg prefix)"/><xacro:include filename="$(find r)/urdf/body.xacro"/><xacro:body width="${2}"/>',
    ),
    'r_description/urdf/body.xacro': robot(
      `<xacro:property name="c" value="\${xacro.load_yaml('../config/c.yaml')}"/><xacro:macro name="body" params="width">${box('${width} 1 1', '0 0 ${c.height / 2}')}</xacro:macro>`,
    ),
    'r_description/config/c.yaml': 'height: 1.0\n',
  };
  expect(plain).toMatch(/^UklGR/);
  expect(await drawn('r_description/urdf/r.urdf.xacro', macros)).toBe(plain);
});

test.each([
  [
    'nothing but a file that is not there',
    '<xacro:include filename="$(find r)/leg.xacro"/>',
    'there is no file "package://r/leg.xacro"',
  ],
  [
    'a size that nobody defines',
    link(`<box size="\${width} 1 1"/>`).replace('${prefix}', ''),
    '"width" is not defined, in ${width}',
  ],
])('a robot with %s is not drawn in part: a warning says where', async (_, content, reason) => {
  expect(await drawn('r.urdf', { 'r.urdf': robot(content) })).toBe(`r.urdf:1: ${reason}`);
});

test('a robot is drawn without the sensors of packages that are not there, and says that they are missing', async () => {
  const entry = 'car_description/urdf/car.urdf.xacro';
  const car = (others: string) => ({
    'car_description/package.xml': '<package><name>car_description</name></package>',
    [entry]: robot(`${others}<xacro:property name="prefix" value=""/>${box('2 1 1', '0 0 0.5')}`),
  });
  const lidar =
    '<xacro:include filename="$(find lidars)/urdf/lidar.xacro"/>\n<xacro:lidar name="front"><origin/></xacro:lidar>';
  expect(await drawn(entry, car(lidar))).toBe(await drawn(entry, car('')));
  const bytes = new Map(Object.entries(car(lidar)).map(([path, text]) => [path, Buffer.from(text)]));
  const thumbnail = await renderThumbnail({ kind: 'urdf', entry, files: memoryFiles(bytes) });
  expect(thumbnail).toMatchObject({
    omissions: {
      meshes: {
        missing: 2,
        named: [
          { reason: 'there is no file "package://lidars/urdf/lidar.xacro"' },
          { reason: 'there is no macro "lidar"' },
        ],
      },
    },
  });
  const own = lidar.replace('find lidars', 'find car_description');
  expect(await drawn(entry, car(own))).toMatch(
    'there is no file "package://car_description/urdf/lidar.xacro"',
  );
});

test('a robot is drawn if its macros only affect names or are in a comment', async () => {
  const arg = '<xacro:arg name="prefix" default=""/>';
  expect(await drawn('r.urdf', { 'r.urdf': robot(arg + box('1 1 1', '0 0 0')) })).toMatch(/^UklGR/);
  expect(
    await drawn('r.urdf', { 'r.urdf': robot(`<!-- <xacro:stairs/> -->${box('1 1 1', '0 0 0')}`) }),
  ).toMatch(/^UklGR/);
});

test('an asset of macros for other robots says that it is one', async () => {
  const files = { 'urdf/r.urdf.xacro': robot('<xacro:macro name="m"/>') };
  expect(await drawn('', files, 'file')).toBe('the asset has only macros, for other robots to use');
  expect(await drawn('', { 'notes.md': '' }, 'file')).toBe('no thumbnails for assets of kind file');
});

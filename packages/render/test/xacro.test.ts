import { expect, test } from 'vitest';
import { memoryFiles, renderThumbnail } from '../src/index.ts';

const RUN_XACRO =
  'the robot is written in xacro macros: run xacro first and publish the .urdf that it writes';

async function warningOf(kind: string, name: string, content: string): Promise<string> {
  const robot = `<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">${content}</robot>`;
  const files = memoryFiles(new Map([[name, Buffer.from(robot)]]));
  const thumbnail = await renderThumbnail({ kind, entry: kind === 'file' ? '' : name, files });
  return 'warning' in thumbnail ? thumbnail.warning : 'drawn';
}

const link = (geometry: string, origin = '') =>
  `<link name="\${prefix}base"><visual>${origin}<geometry>${geometry}</geometry></visual></link>`;
const BOX = '<box size="1 1 1"/>';

test.each([
  ['a macro', `<xacro:macro name="leg"/>${link(BOX)}`],
  ['an included file', `<xacro:include filename="$(find r)/leg.xacro"/>${link(BOX)}`],
  ['a computed size', link(`<box size="\${width} 1 1"/>`)],
  ['a computed position', link(BOX, `<origin xyz="0 0 \${height / 2}"/>`)],
  ['a package path that xacro must resolve', link('<mesh filename="$(find r)/meshes/a.stl"/>')],
])('a robot with %s is not drawn in part: a warning says to run xacro first', async (_, content) => {
  expect(await warningOf('urdf', 'r.urdf', content)).toBe(RUN_XACRO);
});

test('a robot is drawn if its xacro only affects names or is in a comment', async () => {
  expect(await warningOf('urdf', 'r.urdf', `<xacro:arg name="prefix" default=""/>${link(BOX)}`)).toBe(
    'drawn',
  );
  expect(await warningOf('urdf', 'r.urdf', `<!-- <xacro:stairs/> -->${link(BOX)}`)).toBe('drawn');
});

test('an asset with only xacro files gets a warning to run xacro first', async () => {
  expect(await warningOf('file', 'urdf/r.urdf.xacro', link(BOX))).toBe(RUN_XACRO);
  expect(await warningOf('file', 'notes.md', '')).toBe('no thumbnails for assets of kind file');
});

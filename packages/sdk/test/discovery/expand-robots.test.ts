// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how macros are written
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expandRobots } from '../../src/local-discovery/discover-folder.ts';
import { discoverLibrary } from '../../src/local-discovery/discover-library.ts';
import { folderWith } from '../folder.ts';

const robot = (content: string) =>
  `<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">${content}</robot>`;
const ARM = robot(
  '<xacro:arg name="size" default="none"/><xacro:include filename="parts/$(arg size).xacro"/><xacro:part/>',
);
const part = (radius: number) =>
  robot(
    `<xacro:macro name="part"><link name="base"><visual><geometry><sphere radius="\${${radius}*2}"/></geometry></visual></link></xacro:macro>`,
  );

test('robots in macros are written as URDF beside, once for each value of what chooses among them', async () => {
  const folder = folderWith({
    'arm/arm.urdf.xacro': ARM,
    'arm/parts/big.xacro': part(2),
    'arm/parts/small.xacro': part(1),
  });
  expect((await expandRobots(folder, {}, true)).written).toEqual(['arm/arm_big.urdf', 'arm/arm_small.urdf']);
  expect(discoverLibrary(folder).assets[0]?.entry).toBe('arm/arm.urdf.xacro');
  await expandRobots(folder, {});
  expect(readFileSync(join(folder, 'arm/arm_big.urdf'), 'utf8')).toBe(`<?xml version="1.0"?>
<!-- Expanded by Bindery from arm.urdf.xacro with size:=big -->
<robot name="arm">
  <link name="base">
    <visual>
      <geometry>
        <sphere radius="4"/>
      </geometry>
    </visual>
  </link>
</robot>
`);
  expect(discoverLibrary(folder).assets).toMatchObject([
    { id: 'arm', format: 'urdf', entryPoints: { arm_big: {}, arm_small: {} } },
  ]);
  expect(await expandRobots(folder, {})).toEqual({ written: [], skipped: [] });
});

test('an expansion follows its macros, and never replaces a file that somebody else wrote', async () => {
  const folder = folderWith({
    'a/a.urdf.xacro': robot('<link name="one"/><xacro:if value="true"/>'),
    'b/b.xacro': robot('<link name="${1 +}"/>'),
  });
  expect(await expandRobots(folder, {})).toEqual({
    written: ['a/a.urdf'],
    skipped: [expect.stringMatching(/^b\/b\.xacro cannot be expanded: b\/b\.xacro:1: /)],
  });
  writeFileSync(join(folder, 'a/a.urdf.xacro'), robot('<link name="two"/><xacro:if value="true"/>'));
  expect((await expandRobots(folder, {})).written).toEqual(['a/a.urdf']);
  expect(readFileSync(join(folder, 'a/a.urdf'), 'utf8')).toContain('<link name="two"/>');
  writeFileSync(join(folder, 'a/a.urdf'), '<robot name="mine"/>');
  expect((await expandRobots(folder, {})).written).toEqual([]);
  expect(readFileSync(join(folder, 'a/a.urdf'), 'utf8')).toBe('<robot name="mine"/>');
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how macros are written
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { discoverLibrary } from '../../src/local-discovery/discover-library.ts';
import { expandMacros } from '../../src/local-discovery/expand-macros.ts';
import { folderWith } from '../folder.ts';
import { ros, STL, urdf } from './models.ts';

const ARM = {
  'arm/package.xml': ros('arm'),
  'arm/urdf/arm.urdf.xacro': `<robot name="arm" xmlns:xacro="x"><xacro:include filename="$(find arm)/urdf/parts.xacro"/>
<xacro:part name="base &amp; &lt;top&gt;" mesh="a"/></robot>`,
  'arm/urdf/parts.xacro': `<robot xmlns:xacro="x"><xacro:macro name="part" params="name mesh"><link name="\${name}">
<visual><geometry><mesh filename="$(find arm)/meshes/\${mesh}.stl"/></geometry></visual></link></xacro:macro></robot>`,
  'arm/meshes/a.stl': STL,
};

const file = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8');

describe('a robot in macros', () => {
  test('is written as URDF beside them, which its asset then opens, with the macros among its files', () => {
    const folder = folderWith(ARM);
    expect(expandMacros(folder)).toEqual({
      written: [{ file: 'arm/urdf/arm.urdf', from: 'arm/urdf/arm.urdf.xacro' }],
      refused: [],
    });
    expect(file(folder, 'arm/urdf/arm.urdf')).toContain('<link name="base &#38; &#60;top&#62;">');
    const [asset] = discoverLibrary(folder).assets;
    expect(asset).toMatchObject({ id: 'arm', kind: 'urdf', format: 'urdf', entry: 'arm/urdf/arm.urdf' });
    expect(asset?.files.map(({ path }) => path)).toEqual([...Object.keys(ARM), 'arm/urdf/arm.urdf'].sort());
  });

  test('is written again only when the macros change', () => {
    const folder = folderWith(ARM);
    expandMacros(folder);
    expect(expandMacros(folder).written).toEqual([]);
    writeFileSync(
      join(folder, 'arm/urdf/parts.xacro'),
      ARM['arm/urdf/parts.xacro'].replace('<visual>', '<inertial/><visual>'),
    );
    expect(expandMacros(folder).written).toHaveLength(1);
    expect(file(folder, 'arm/urdf/arm.urdf')).toContain('<inertial/>');
  });

  test('for several models is one file for each, named after the value or after both', () => {
    const macros = `<robot name="r" xmlns:xacro="x"><xacro:arg name="type" default="ax"/>
<xacro:property name="c" value="\${xacro.load_yaml('../config/' + '$(arg type)' + '/size.yaml')}"/><link name="l\${c['size']}"/></robot>`;
    const folder = folderWith({
      'package.xml': ros('a_description'),
      'urdf/a.urdf.xacro': macros,
      'urdf/mocked.urdf.xacro': macros,
      'config/a1/size.yaml': 'size: 1',
      'config/a2/size.yaml': 'size: 2',
    });
    expect(expandMacros(folder).written.map(({ file: name }) => name)).toEqual([
      'urdf/a1.urdf',
      'urdf/a2.urdf',
      'urdf/mocked-a1.urdf',
      'urdf/mocked-a2.urdf',
    ]);
    expect(file(folder, 'urdf/a2.urdf')).toContain('<link name="l2"/>');
    expect(Object.keys(discoverLibrary(folder).assets[0]?.entryPoints ?? {})).toContain('a2');
  });

  test('never replaces a file of somebody else, and says why one cannot be expanded', () => {
    const folder = folderWith({
      ...ARM,
      'arm/urdf/arm.urdf': urdf('package://arm/meshes/a.stl'),
      'hand/hand.xacro': '<robot xmlns:xacro="x">\n<link name="${gone}"/></robot>',
      'claw/claw.xacro': '<robot xmlns:xacro="x"><link name="l"/></robot>',
      'claw/claw.urdf': 'mine',
    });
    expect(expandMacros(folder)).toEqual({
      written: [],
      refused: [{ from: 'hand/hand.xacro', reason: 'hand/hand.xacro:2: "gone" is not defined, in ${gone}' }],
    });
    expect(file(folder, 'claw/claw.urdf')).toBe('mine');
  });

  test('is only named in a dry run', () => {
    const folder = folderWith(ARM);
    expect(expandMacros(folder, { dryRun: true }).written).toHaveLength(1);
    expect(existsSync(join(folder, 'arm/urdf/arm.urdf'))).toBe(false);
  });
});

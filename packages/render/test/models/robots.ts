/** The pylon as a robot: a base link and, on a fixed joint, a tower from a mesh file. */
export const URDF = `<?xml version="1.0"?>
<robot name="pylon">
  <material name="green"><color rgba="0.1 0.7 0.2 1"/></material>
  <link name="base">
    <visual><origin xyz="0 0 0.2"/><geometry><box size="2 2 0.4"/></geometry><material name="green"/></visual>
    <collision><geometry><sphere radius="9"/></geometry></collision>
  </link>
  <joint name="mast" type="fixed"><parent link="base"/><child link="tower"/><origin xyz="0 0 1.2" rpy="0 0 0.3"/></joint>
  <link name="tower">
    <visual>
      <geometry><mesh filename="package://pylon/meshes/tower.stl" scale="1 1 1"/></geometry>
      <material name="red"><color rgba="0.85 0.1 0.1 1"/></material>
    </visual>
  </link>
</robot>`;

/** The same in macros. */
export const XACRO = URDF.replace('<robot name', '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name')
  .replace('<link name="base">', '<xacro:property name="width" value="2"/>\n  <link name="base">')
  // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how macros are written
  .replace('size="2 2 0.4"', 'size="${width} ${width} 0.4"');

export const SDF = `<?xml version="1.0"?>
<sdf version="1.7">
  <model name="pylon">
    <link name="base">
      <visual name="box">
        <pose>0 0 0.2 0 0 0</pose>
        <geometry><box><size>2 2 0.4</size></box></geometry>
        <material><diffuse>0.1 0.7 0.2 1</diffuse></material>
      </visual>
      <collision name="ball"><geometry><sphere><radius>9</radius></sphere></geometry></collision>
    </link>
    <joint name="mast" type="fixed"><parent>base</parent><child>tower</child></joint>
    <link name="tower">
      <pose>0 0 1.2 0 0 0.3</pose>
      <visual name="tower">
        <geometry><mesh><uri>model://pylon/meshes/tower.stl</uri></mesh></geometry>
        <material><diffuse>0.85 0.1 0.1 1</diffuse></material>
      </visual>
    </link>
  </model>
</sdf>`;

export const MJCF = `<mujoco model="pylon">
  <compiler meshdir="meshes"/>
  <asset><mesh name="tower" file="tower.stl"/></asset>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <body name="base">
      <freejoint/>
      <geom type="box" size="1 1 0.2" pos="0 0 0.2" rgba="0.1 0.7 0.2 1"/>
      <geom type="sphere" size="9" group="3" rgba="1 1 1 1"/>
      <body name="tower" pos="0 0 1.2"><geom type="mesh" mesh="tower" rgba="0.85 0.1 0.1 1"/></body>
    </body>
  </worldbody>
</mujoco>`;

/** The tower alone, centred on the origin, Z up, as binary STL. */
export function towerStl(): Uint8Array {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => [
    index & 1 ? 0.3 : -0.3,
    index & 2 ? 0.3 : -0.3,
    index & 4 ? 0.8 : -0.8,
  ]);
  const faces = [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 4, 6, 2],
    [1, 3, 7, 5],
  ].flatMap(([a, b, c, d]) => [
    [a, b, c],
    [a, c, d],
  ]);
  const out = Buffer.alloc(84 + faces.length * 50);
  out.writeUInt32LE(faces.length, 80);
  for (const [face, indices] of faces.entries()) {
    const values = indices.flatMap((index) => corners[index!]!);
    for (const [k, value] of values.entries()) out.writeFloatLE(value, 84 + face * 50 + 12 + k * 4);
  }
  return new Uint8Array(out);
}

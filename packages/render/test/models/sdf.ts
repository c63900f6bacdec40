import { towerStl } from './robots.ts';

const WORKBENCH = `<?xml version="1.0"?>
<sdf version="1.7">
  <model name="workbench">
    <link name="top">
      <pose>0 0 0.75 0 0 0</pose>
      <visual name="board">
        <geometry><box><size>1.6 0.8 0.06</size></box></geometry>
        <material><diffuse>0.72 0.5 0.28 1</diffuse></material>
      </visual>
      <visual name="ball">
        <pose>-0.55 0.1 0.18 0 0 0</pose>
        <geometry><sphere><radius>0.15</radius></sphere></geometry>
        <material><diffuse>0.8 0.12 0.12 1</diffuse></material>
      </visual>
      <visual name="can">
        <pose>-0.1 -0.15 0.19 0 0 0</pose>
        <geometry><cylinder><radius>0.1</radius><length>0.32</length></cylinder></geometry>
        <material>
          <diffuse>0.9 0.9 0.9 1</diffuse>
          <pbr><metal><metalness>1</metalness><roughness>0.3</roughness></metal></pbr>
        </material>
      </visual>
      <visual name="pill">
        <pose degrees="true">0.1 0.2 0.11 0 90 30</pose>
        <geometry><capsule><radius>0.08</radius><length>0.25</length></capsule></geometry>
        <material><diffuse>0.15 0.45 0.8 1</diffuse></material>
      </visual>
      <collision name="unseen"><geometry><box><size>9 9 9</size></box></geometry></collision>
    </link>
    ${[
      [-0.7, -0.3],
      [0.7, -0.3],
      [-0.7, 0.3],
      [0.7, 0.3],
    ]
      .map(
        ([x, y], at) => `<link name="leg_${at}"><pose relative_to="top">${x} ${y} -0.39 0 0 0</pose>
      <visual name="v"><geometry><box><size>0.07 0.07 0.72</size></box></geometry>
        <material><script><name>Gazebo/DarkGrey</name></script></material></visual></link>`,
      )
      .join('\n    ')}
    <include><uri>model://tower</uri><pose relative_to="top">0.5 0 0.03 0 0 0.6</pose></include>
  </model>
</sdf>`;

const TOWER = `<sdf version="1.6"><model name="tower"><link name="l"><visual name="v">
  <geometry><mesh><uri>model://tower/meshes/tower.stl</uri><scale>0.12 0.12 0.12</scale></mesh></geometry>
  <material><diffuse>0.2 0.65 0.3 1</diffuse></material>
</visual></link></model></sdf>`;

/** A bench of primitives on legs, with another model, which is a mesh, included upon it. */
export function workbench(): Map<string, Uint8Array> {
  return new Map<string, Uint8Array>([
    ['workbench/model.sdf', Buffer.from(WORKBENCH)],
    ['tower/model.config', Buffer.from('<model><name>Tower</name><sdf>model.sdf</sdf></model>')],
    ['tower/model.sdf', Buffer.from(TOWER)],
    ['tower/meshes/tower.stl', towerStl()],
  ]);
}

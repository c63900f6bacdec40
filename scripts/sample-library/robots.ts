const STEEL = '  <material name="steel"><color rgba="0.45 0.48 0.53 1"/></material>';
const ORANGE = '  <material name="orange"><color rgba="0.95 0.45 0.1 1"/></material>';
const RUBBER = '  <material name="rubber"><color rgba="0.16 0.17 0.19 1"/></material>';

/** A planar arm with two links on a base; its joints rotate about Z and Y. */
export const ARM_URDF = `<?xml version="1.0"?>
<robot name="two-link-arm">
${STEEL}
${ORANGE}
${link('base', 'steel')}
${link('upper', 'orange')}
${link('fore', 'orange')}
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.1"/><axis xyz="0 1 0"/>
    <limit lower="-1.6" upper="1.6" effort="40" velocity="2"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="fore"/>
    <origin xyz="0 0 0.4"/><axis xyz="0 1 0"/>
    <limit lower="-2.4" upper="2.4" effort="20" velocity="3"/>
  </joint>
</robot>
`;

/** A body on four driven wheels. */
export const ROVER_URDF = `<?xml version="1.0"?>
<robot name="rover">
${ORANGE}
${RUBBER}
${link('body', 'orange')}
${['front_left', 'front_right', 'rear_left', 'rear_right'].map((place, at) => wheel(place, at < 2 ? 0.18 : -0.18, at % 2 ? -0.17 : 0.17)).join('\n')}
</robot>
`;

/** Two fingers on slide joints, in MuJoCo's format. */
export const GRIPPER_MJCF = `<mujoco model="gripper">
  <compiler meshdir="meshes"/>
  <asset><mesh name="palm" file="palm.stl"/><mesh name="finger" file="finger.stl"/></asset>
  <worldbody>
    <body name="palm">
      <geom type="mesh" mesh="palm" rgba="0.3 0.33 0.38 1"/>
      <body name="left" pos="0.04 0 0.052">
        <joint name="left_slide" type="slide" axis="1 0 0" range="-0.03 0" damping="2"/>
        <geom type="mesh" mesh="finger" rgba="0.95 0.45 0.1 1"/>
      </body>
      <body name="right" pos="-0.04 0 0.052" euler="0 0 180">
        <joint name="right_slide" type="slide" axis="1 0 0" range="-0.03 0" damping="2"/>
        <geom type="mesh" mesh="finger" rgba="0.95 0.45 0.1 1"/>
      </body>
    </body>
  </worldbody>
</mujoco>
`;

export const GRIPPER_SCENE = `<mujoco model="gripper scene">
  <include file="gripper.xml"/>
  <worldbody><light pos="0 0 2"/><geom type="plane" pos="0 0 -0.05" size="1 1 0.1"/></worldbody>
</mujoco>
`;

function link(name: string, material: string): string {
  return `  <link name="${name}"><visual><geometry><mesh filename="meshes/${name}.stl"/></geometry><material name="${material}"/></visual></link>`;
}

function wheel(place: string, x: number, y: number): string {
  return `  <link name="${place}"><visual><origin rpy="1.5708 0 0"/><geometry><mesh filename="meshes/wheel.stl"/></geometry><material name="rubber"/></visual></link>
  <joint name="${place}_drive" type="continuous">
    <parent link="body"/><child link="${place}"/><origin xyz="${x} ${y} -0.06"/><axis xyz="0 1 0"/>
  </joint>`;
}

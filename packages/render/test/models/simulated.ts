/** Robots that simulate well, whose parts tests replace by faulty ones. */

const FLOOR = '<geom name="floor" type="plane" size="2 2 .1"/>';

/** Three servos on a table, which hold a tool; a cup stands beside it. */
export const ARM = `<mujoco model="arm">
  <compiler angle="radian"/>
  <option timestep="0.002"/>
  <default>
    <joint damping="2" armature="0.05"/>
    <position kp="100" forcerange="-60 60"/>
  </default>
  <worldbody>
    ${FLOOR}
    <body name="base" pos="0 0 .05">
      <geom type="cylinder" size=".08 .05" mass="2" contype="0"/>
      <body name="upper" pos="0 0 .1">
        <joint name="shoulder" axis="0 1 0" range="-1.5 1.5" limited="true"/>
        <geom type="capsule" fromto="0 0 .06 0 0 .3" size=".03" mass="1"/>
        <body name="fore" pos="0 0 .36">
          <joint name="elbow" axis="0 1 0" range="0 2.4" limited="true"/>
          <geom type="capsule" fromto="0 0 .06 0 0 .24" size=".025" mass=".6"/>
          <body name="hand" pos="0 0 .3">
            <joint name="wrist" axis="1 0 0" range="-2 2" limited="true"/>
            <geom type="box" size=".03 .02 .03" pos="0 0 .03" mass=".2"/>
          </body>
        </body>
      </body>
    </body>
    <body name="cup" pos=".5 .3 .04">
      <freejoint/>
      <geom type="cylinder" size=".03 .04" mass=".1"/>
    </body>
  </worldbody>
  <actuator>
    <position name="shoulder_servo" joint="shoulder" ctrlrange="-1.5 1.5"/>
    <position name="elbow_servo" joint="elbow" ctrlrange="0 2.4"/>
    <position name="wrist_servo" joint="wrist" ctrlrange="-2 2"/>
  </actuator>
  <keyframe>
    <key name="ready" qpos=".4 .9 0 .5 .3 .04 1 0 0 0" ctrl=".4 .9 0"/>
  </keyframe>
</mujoco>`;

const leg = (name: string, x: number, y: number) => `
      <body name="${name}_thigh" pos="${x} ${y} 0">
        <inertial pos="0 0 -.1" mass=".6" diaginertia=".003 .003 .0005"/>
        <joint name="${name}_hip" axis="0 1 0" range="-1 1.2" limited="true"/>
        <geom type="capsule" fromto="0 0 -.03 0 0 -.18" size=".02"/>
        <body name="${name}_shank" pos="0 0 -.2">
          <inertial pos="0 0 -.1" mass=".3" diaginertia=".0015 .0015 .0002"/>
          <joint name="${name}_knee" axis="0 1 0" range="-2 -.1" limited="true"/>
          <geom type="capsule" fromto="0 0 -.03 0 0 -.18" size=".015"/>
          <geom name="${name}_foot" type="sphere" pos="0 0 -.2" size=".025"/>
        </body>
      </body>`;

const LEGS = [
  ['front_left', 0.2, 0.12],
  ['front_right', 0.2, -0.12],
  ['rear_left', -0.2, 0.12],
  ['rear_right', -0.2, -0.12],
] as const;

/** A quadruped that stands on a floor, held by servos. */
export const WALKER = `<mujoco model="walker">
  <compiler angle="radian"/>
  <option timestep="0.002"/>
  <default>
    <joint damping="1" armature="0.01"/>
    <position kp="60" forcerange="-25 25"/>
  </default>
  <worldbody>
    ${FLOOR}
    <body name="trunk" pos="0 0 .38">
      <freejoint name="root"/>
      <inertial pos="0 0 0" mass="6" diaginertia=".03 .09 .1"/>
      <geom type="box" size=".22 .08 .05"/>${LEGS.map(([name, x, y]) => leg(name, x, y)).join('')}
    </body>
  </worldbody>
  <actuator>${LEGS.map(
    ([name]) => `
    <position name="${name}_hip_servo" joint="${name}_hip" ctrlrange="-1 1.2"/>
    <position name="${name}_knee_servo" joint="${name}_knee" ctrlrange="-2 -.1"/>`,
  ).join('')}
  </actuator>
  <keyframe>
    <key name="stand" qpos="0 0 .365 1 0 0 0 ${LEGS.map(() => '.5 -1').join(' ')}" ctrl="${LEGS.map(() => '.5 -1').join(' ')}"/>
  </keyframe>
</mujoco>`;

/** Two fingers that close together on a rail, and a block between them. */
export const GRIPPER = `<mujoco model="gripper">
  <compiler angle="radian"/>
  <option timestep="0.002"/>
  <default>
    <joint damping="5" armature=".2"/>
    <motor ctrllimited="true" ctrlrange="-5 5"/>
  </default>
  <worldbody>
    ${FLOOR}
    <body name="palm" pos="0 0 .25">
      <geom type="box" size=".08 .03 .03" mass="1"/>
      <body name="left" pos="0 .0 -.09">
        <joint name="left_slide" type="slide" axis="1 0 0" range=".015 .07" limited="true" ref=".04"/>
        <geom type="box" size=".008 .02 .05" pos=".04 0 0" mass=".1"/>
      </body>
      <body name="right" pos="0 .0 -.09">
        <joint name="right_slide" type="slide" axis="-1 0 0" range=".015 .07" limited="true" ref=".04"/>
        <geom type="box" size=".008 .02 .05" pos="-.04 0 0" mass=".1"/>
      </body>
    </body>
    <body name="block" pos="0 0 .0255">
      <freejoint/>
      <geom type="box" size=".02 .02 .025" mass=".05"/>
    </body>
  </worldbody>
  <equality><joint joint1="left_slide" joint2="right_slide"/></equality>
  <actuator>
    <motor name="close" joint="left_slide"/>
  </actuator>
</mujoco>`;

/** A mechanism with what MuJoCo can say and other formats can not. */
export const MECHANISM = `<mujoco model="mechanism">
  <compiler angle="radian"/>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="trunk" pos="0 0 1" quat="0.9 0.1 0.2 0.3">
      <inertial pos="0.01 0.02 0.03" mass="3" fullinertia="0.2 0.3 0.4 0.01 -0.02 0.03"/>
      <joint name="lift" type="slide" axis="0 0 1" ref="0.1" range="-0.5 0.5" damping="2"/>
      <joint name="turn" type="hinge" axis="0 0.6 0.8" pos="0.1 0.2 0.3" ref="0.4" damping="0.3" frictionloss="0.05"/>
      <geom name="chest" type="capsule" size="0.1 0.2" pos="0 0 0.1" euler="0.3 0.2 0.1" rgba="0.2 0.4 0.6 1"/>
      <body name="arm" pos="0.3 0 0.2">
        <joint name="shoulder" type="ball" pos="-0.05 0 0" damping="0.5"/>
        <geom name="upper" type="cylinder" size="0.05 0.15" rgba="1 0 0 0.5"/>
        <body name="hand" pos="0 0 0.4">
          <joint name="wrist" axis="1 0 0" pos="0 0 -0.1" ref="0.2" range="-1 1.5" armature="0.01" stiffness="3" springref="0.1" damping="0.1"/>
          <geom name="palm" type="box" size="0.05 0.1 0.02"/>
          <geom name="head" type="ellipsoid" size="0.05 0.1 0.02" contype="0" conaffinity="0" mass="0"/>
          <site name="grip"/>
        </body>
        <body name="thumb" pos="0.1 0 0.3">
          <joint name="thumb" axis="0 1 0" ref="-0.2" damping="0.1"/>
          <geom name="tip" type="sphere" size="0.03"/>
        </body>
      </body>
    </body>
  </worldbody>
  <contact><exclude body1="trunk" body2="hand"/></contact>
  <equality><joint joint1="thumb" joint2="wrist" polycoef="0.4 -0.5 0 0 0"/></equality>
  <tendon><fixed name="pull"><joint joint="wrist" coef="1"/></fixed></tendon>
  <actuator><position name="drive" joint="wrist" kp="20" forcerange="-5 5"/></actuator>
  <sensor><jointpos name="angle" joint="wrist"/></sensor>
  <keyframe><key name="home" qpos="0.1 0.4 1 0 0 0 0.2 -0.2"/></keyframe>
</mujoco>`;

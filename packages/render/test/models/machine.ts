import sharp from 'sharp';
import { towerStl } from './robots.ts';

/** What MuJoCo has of joints, shapes and materials, in a model with names that few formats allow. */
const MACHINE = `<mujoco model="my machine">
  <compiler angle="radian"/>
  <asset>
    <texture name="stripes" type="2d" file="stripes.png"/>
    <material name="striped" texture="stripes" texrepeat="2 3"/>
    <material name="glass" rgba="0.2 0.5 0.9 0.4"/>
    <mesh name="tower" file="tower.stl" scale="0.1 0.1 0.1"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 0.1"/>
    <body name="left/base" pos="0 0 0.3" euler="0.1 0 0.2">
      <inertial pos="0.01 0 0.02" mass="3" fullinertia="0.03 0.02 0.04 0.001 0.002 -0.003"/>
      <geom name="mount" type="box" size="0.1 0.2 0.05" rgba="0.8 0.2 0.1 1" friction="0.7"/>
      <body name="mount" pos="0 0 0.05"><geom type="cylinder" size="0.03 0.02" mass="0" material="glass"/></body>
      <body name="1st arm" pos="0.1 0 0.1" euler="0 0.4 0">
        <joint name="swing" axis="0 1 2" pos="0 0 0.05" range="-1 2" ref="0.25" damping="0.5" armature="0.01"
          frictionloss="0.2"/>
        <joint name="reach" type="slide" axis="-1 0 0" range="0 0.3" stiffness="40"/>
        <geom type="mesh" mesh="tower" material="striped" mass="1" pos="0 0 0.1" euler="0.5 0 0"/>
        <body name="head" pos="0 0 0.4">
          <joint name="neck" type="ball" pos="0 0 -0.1"/>
          <geom type="ellipsoid" size="0.1 0.05 0.08" mass="0.5"/>
          <geom type="mesh" mesh="tower" rgba="0.1 0.7 0.2 1" contype="0" conaffinity="0" mass="0"/>
        </body>
      </body>
      <body name="finger" quat="1 0.000003 0 0" pos="0 0 0.000008"><joint name="curl" axis="1 0 0"/><geom type="capsule" size="0.02 0.1" mass="0.1"/></body>
    </body>
    <body name="ball" pos="1 0 1"><joint name="loose" type="free" damping="0.05"/><geom size="0.1" mass="0.2" material="striped"/></body>
  </worldbody>
  <contact><exclude body1="left/base" body2="finger"/></contact>
  <equality><joint joint1="curl" joint2="swing" polycoef="0.1 0.5 0 0 0"/></equality>
  <actuator><position name="servo" joint="swing" kp="50" kv="2" forcerange="-9 9"/><motor joint="reach"/>
    <velocity joint="curl" kv="3"/></actuator>
  <keyframe><key name="home"/></keyframe>
</mujoco>`;

export async function machineFiles(): Promise<Map<string, Uint8Array>> {
  const stripes = Uint8Array.from({ length: 32 * 32 * 3 }, (_, k) =>
    (Math.floor(k / 96) >> 2) % 2 ? 230 : 40,
  );
  const picture = sharp(stripes, { raw: { width: 32, height: 32, channels: 3 } });
  return new Map<string, Uint8Array>([
    ['machine.xml', new TextEncoder().encode(MACHINE)],
    ['tower.stl', towerStl()],
    ['stripes.png', new Uint8Array(await picture.png().toBuffer())],
  ]);
}

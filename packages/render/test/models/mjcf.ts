import sharp from 'sharp';
import { towerStl } from './robots.ts';

/** Everything that MuJoCo bends: a skin on two bones, a cloth, a soft block, a rope; and terrain that a body carries. */
export const DEFORMABLES = `<mujoco model="deformables">
  <asset>
    <hfield name="hill" nrow="3" ncol="3" size="0.5 0.5 0.3 0.01" elevation="0 0 0  0 1 0  0 0 0"/>
  </asset>
  <worldbody>
    <body pos="0 -1.2 0"><geom type="hfield" hfield="hill" rgba="0.2 0.6 0.3 1"/></body>
    <body name="lower" pos="0 0 0"><geom size="0.01" group="4"/>
      <body name="upper" pos="0 0 0.5" euler="40 0 0"><geom size="0.01" group="4"/></body></body>
    <body name="cloth" pos="0 1 0.5"><flexcomp name="cloth" type="grid" count="4 4 1" spacing="0.2 0.2 0.2" dim="2" radius="0.01" mass="1" rgba="0.9 0.3 0.2 1"/></body>
    <body name="block" pos="0 1.9 0.3"><flexcomp name="block" type="grid" count="3 3 3" spacing="0.25 0.25 0.25" dim="3" radius="0.01" mass="1" rgba="0.2 0.4 0.9 1"/></body>
    <body name="rope" pos="0.8 0 0.1"><flexcomp name="rope" type="grid" count="9 1 1" spacing="0.2 0.2 0.2" dim="1" radius="0.05" mass="1" rgba="0.9 0.8 0.2 1" quat="0.7071 0 0 0.7071"/></body>
  </worldbody>
  <deformable>
    <skin name="strip" rgba="0.6 0.3 0.8 1" vertex="0 -0.2 0  0 0.2 0  0 -0.2 0.5  0 0.2 0.5  0 -0.2 1  0 0.2 1" face="0 1 3  0 3 2  2 3 5  2 5 4">
      <bone body="lower" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2 3" vertweight="1 1 0.5 0.5"/>
      <bone body="upper" bindpos="0 0 0.5" bindquat="1 0 0 0" vertid="2 3 4 5" vertweight="0.5 0.5 1 1"/>
    </skin>
  </deformable>
</mujoco>`;

/** A pyramid with texture coordinates and a picture to lay on it, its base off the origin. */
const PYRAMID = `v 1 1 0
v 3 1 0
v 3 3 0
v 1 3 0
v 2 2 3
vt 0 0
vt 1 0
vt 0.5 1
f 4/1 3/2 2/3
f 4/1 2/2 1/3
f 1/1 2/2 5/3
f 2/1 3/2 5/3
f 3/1 4/2 5/3
f 4/1 1/2 5/3
`;

/**
 * Meshes that are scaled, mirrored, shifted and turned, and one with a picture; `<!-- … -->` may say more. With
 * `alignfree` in it MuJoCo is given the meshes themselves.
 */
export async function transformedMeshes(more = ''): Promise<Map<string, Uint8Array>> {
  const model = `<mujoco model="laid out"><!-- ${more} -->
    <asset>
      <texture name="sky" type="skybox" builtin="gradient" rgb1="1 1 1" rgb2="0 0 0" width="64" height="384"/>
      <texture name="stripes" type="2d" file="stripes.png"/>
      <material name="stripes" texture="stripes"/>
      <mesh name="small" file="tower.stl" scale="0.5 0.4 0.6" refpos="0.1 0.2 0.3" refquat="0.9 0.3 0.1 0.2"/>
      <mesh name="mirrored" file="pyramid.obj" scale="-0.5 0.5 0.5"/>
      <mesh name="tall" file="pyramid.obj" scale="0.3 0.3 0.5"/>
    </asset>
    <worldbody><body euler="0 0 20">
      <geom type="mesh" mesh="small" pos="0 1.5 0.4" euler="20 30 40" rgba="0.8 0.2 0.2 1"/>
      <geom type="mesh" mesh="mirrored" material="stripes"/>
      <geom type="mesh" mesh="tall" pos="0 -0.5 0" rgba="0.2 0.5 0.8 1"/>
    </body></worldbody>
  </mujoco>`;
  const stripes = Uint8Array.from({ length: 32 * 32 * 3 }, (_, k) =>
    (Math.floor(k / 96) >> 2) % 2 ? 230 : 40,
  );
  return new Map<string, Uint8Array>([
    ['a.xml', Buffer.from(model)],
    ['tower.stl', towerStl()],
    ['pyramid.obj', Buffer.from(PYRAMID)],
    [
      'stripes.png',
      new Uint8Array(
        await sharp(stripes, { raw: { width: 32, height: 32, channels: 3 } })
          .png()
          .toBuffer(),
      ),
    ],
  ]);
}

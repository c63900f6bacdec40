import { crc32, deflateSync } from 'node:zlib';

/** An arm with two hinges and a keyframe ("lifted") that turns the first by 45°. */
export const MJCF_ARM = `<mujoco model="arm">
  <worldbody>
    <geom type="plane" size="2 2 0.1"/>
    <body name="upper" pos="0 0 0.5">
      <joint name="shoulder" axis="0 1 0" range="-90 90"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.05" rgba="0.8 0.3 0.1 1"/>
      <body name="lower" pos="0.4 0 0">
        <joint name="elbow" axis="0 1 0"/>
        <geom type="box" size="0.2 0.03 0.03" pos="0.2 0 0"/>
      </body>
    </body>
  </worldbody>
  <keyframe><key name="lifted" qpos="0.785398 0"/></keyframe>
</mujoco>`;

export const URDF_ARM = `<robot name="arm">
  <link name="base"><inertial><mass value="2"/></inertial>
    <visual><geometry><box size="0.3 0.3 0.1"/></geometry></visual></link>
  <link name="forearm"><inertial><mass value="1"/></inertial>
    <visual><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.05 0.05"/></geometry></visual></link>
  <link name="finger"><visual><geometry><sphere radius="0.05"/></geometry></visual></link>
  <joint name="elbow" type="revolute"><parent link="base"/><child link="forearm"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="follower" type="revolute"><parent link="forearm"/><child link="finger"/><origin xyz="0.4 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/><mimic joint="elbow"/></joint>
</robot>`;

export const OBJ_BOX = `mtllib box.mtl
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
vt 0 0
vt 1 0
vt 1 1
vt 0 1
usemtl red
f 1/1 2/2 3/3 4/4
`;

export const MARKDOWN = `# A robot

It *moves*. <script>parent.postMessage('x', '*')</script>
<img src="http://127.0.0.1:9/x.png" onerror="alert(1)">

![picture](http://127.0.0.1:9/y.png) [elsewhere](http://127.0.0.1:9/) [script](javascript:alert(1))
`;

/** Records of a `.splat` file on a 4 × 4 × 4 grid. */
export const SPLATS: Uint8Array = (() => {
  const view = new DataView(new ArrayBuffer(64 * 32));
  for (let splat = 0; splat < 64; splat++) {
    const place = [splat & 3, (splat >> 2) & 3, splat >> 4];
    for (const [axis, value] of place.entries()) view.setFloat32(splat * 32 + axis * 4, value, true);
    for (let axis = 0; axis < 3; axis++) view.setFloat32(splat * 32 + 12 + axis * 4, 0.2, true);
    for (const [k, byte] of [200, 60 + splat, 40, 255, 255, 128, 128, 128].entries())
      view.setUint8(splat * 32 + 24 + k, byte);
  }
  return new Uint8Array(view.buffer);
})();

/** Returns a SPLAT file of `count` opaque splats in rows, each with its own colour. */
export function splatWall(count: number, colorOf: (splat: number) => readonly [number, number, number]) {
  const view = new DataView(new ArrayBuffer(count * 32));
  for (let splat = 0; splat < count; splat++) {
    for (const [axis, value] of [(splat % 160) / 100, Math.floor(splat / 160) / 100, 0].entries()) {
      view.setFloat32(splat * 32 + axis * 4, value, true);
      view.setFloat32(splat * 32 + 12 + axis * 4, 0.005, true);
    }
    for (const [at, byte] of [...colorOf(splat), 255, 255, 128, 128, 128].entries())
      view.setUint8(splat * 32 + 24 + at, byte);
  }
  return new Uint8Array(view.buffer);
}

/** Returns a GLB with this JSON and buffer. */
export function glb(json: object, binary: Uint8Array): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const [textLength, binaryLength] = [text.length + 3, binary.length + 3].map((length) => length & ~3) as [
    number,
    number,
  ];
  const bytes = new Uint8Array(28 + textLength + binaryLength).fill(0x20, 20, 20 + textLength);
  const view = new DataView(bytes.buffer);
  for (const [at, value] of [
    [0, 0x46546c67],
    [4, 2],
    [8, bytes.length],
    [12, textLength],
    [16, 0x4e4f534a],
    [20 + textLength, binaryLength],
    [24 + textLength, 0x004e4942],
  ] as const)
    view.setUint32(at, value, true);
  bytes.set(text, 20);
  bytes.set(binary, 28 + textLength);
  return bytes;
}

/** One triangle. */
export function triangleGltf(): { json: Record<string, unknown>; binary: Uint8Array } {
  const binary = new Uint8Array(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0).buffer);
  return {
    binary,
    json: {
      asset: { version: '2.0' },
      scene: 0,
      scenes: [{ nodes: [0] }],
      nodes: [{ mesh: 0 }],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
      accessors: [
        { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] },
      ],
      bufferViews: [{ buffer: 0, byteLength: binary.length }],
      buffers: [{ byteLength: binary.length }],
    },
  };
}

export function boxGlb(): Uint8Array {
  const { json, binary } = triangleGltf();
  return glb(json, binary);
}

/** Returns a PNG image of one pixel. */
export function pixelPng(red: number, green: number, blue: number, alpha: number): Uint8Array {
  const chunk = (type: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from([0, red, green, blue, alpha]))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Returns a GLB of a triangle that an animation of two seconds moves to the right. */
export function movingGltf(): Uint8Array {
  const { json, binary } = triangleGltf();
  const times = Float32Array.of(0, 2);
  const places = Float32Array.of(0, 0, 0, 1, 0, 0);
  const all = Buffer.concat([binary, Buffer.from(times.buffer), Buffer.from(places.buffer)]);
  const [accessor] = json.accessors as object[];
  return glb(
    {
      ...json,
      accessors: [
        accessor,
        { bufferView: 1, componentType: 5126, count: 2, type: 'SCALAR', min: [0], max: [2] },
        { bufferView: 2, componentType: 5126, count: 2, type: 'VEC3' },
      ],
      bufferViews: [
        { buffer: 0, byteLength: binary.length },
        { buffer: 0, byteOffset: binary.length, byteLength: times.byteLength },
        { buffer: 0, byteOffset: binary.length + times.byteLength, byteLength: places.byteLength },
      ],
      buffers: [{ byteLength: all.length }],
      animations: [
        {
          channels: [{ sampler: 0, target: { node: 0, path: 'translation' } }],
          samplers: [{ input: 1, output: 2 }],
        },
      ],
    },
    all,
  );
}

import { randomFillSync } from 'node:crypto';

const HEADER_BYTES = 84;
const TRIANGLE_BYTES = 50;

/** A binary STL file of at most `size` bytes (84 or more), with incompressible triangles. */
export function binaryStl(size: number): Buffer {
  const triangles = Math.floor((size - HEADER_BYTES) / TRIANGLE_BYTES);
  const content = Buffer.alloc(HEADER_BYTES + triangles * TRIANGLE_BYTES);
  content.writeUInt32LE(triangles, HEADER_BYTES - 4);
  return randomFillSync(content, HEADER_BYTES);
}

/** A URDF robot with one link per mesh, each joined to the previous one. */
export function urdfOf(name: string, meshes: readonly string[]): Buffer {
  const links = meshes.map(
    (mesh, at) =>
      `  <link name="link-${at}"><visual><geometry><mesh filename="${mesh}"/></geometry></visual></link>\n`,
  );
  const joints = meshes
    .slice(1)
    .map(
      (_, at) =>
        `  <joint name="joint-${at}" type="fixed"><parent link="link-${at}"/><child link="link-${at + 1}"/></joint>\n`,
    );
  return Buffer.from(`<robot name="${name}">\n${[...links, ...joints].join('')}</robot>\n`);
}

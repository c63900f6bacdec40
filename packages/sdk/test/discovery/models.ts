/** Small models of every format that tests of discovery need. */

export const OBJ = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';

export const STL = 'solid\nfacet\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendfacet\nendsolid\n';
/** What a checkout without `git lfs pull` has in place of a large file. */
export const LFS_POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'b'.repeat(64)}\nsize 4321\n`;

export function ply(properties: string, rows = ''): string {
  const listed = properties.split(' ').map((name) => `property float ${name}\n`);
  return `ply\nformat ascii 1.0\nelement vertex ${rows.split('\n').length - 1}\n${listed.join('')}end_header\n${rows}`;
}

export function model(content: string): string {
  return `<mujoco model="m">${content}</mujoco>`;
}

export function urdf(mesh: string): string {
  return `<robot name="r"><link name="l"><visual><geometry><mesh filename="${mesh}"/></geometry></visual></link></robot>`;
}

export function ros(name: string): string {
  return `<package format="2"><name>${name}</name><version>1.0.0</version><license>BSD-3-Clause</license></package>`;
}

export function sdf(mesh: string): string {
  return `<sdf version="1.6"><model name="m"><link name="l"><visual name="v"><geometry><mesh>${mesh}</mesh></geometry></visual></link></model></sdf>`;
}

export function gltf(...images: string[]): string {
  return JSON.stringify({ asset: { version: '2.0' }, images: images.map((uri) => ({ uri })) });
}

/** A binary container with a JSON chunk alone. */
export function glb(...images: string[]): Uint8Array {
  const json = new TextEncoder().encode(gltf(...images));
  const padded = Math.ceil(json.byteLength / 4) * 4;
  const bytes = new Uint8Array(20 + padded).fill(0x20);
  const view = new DataView(bytes.buffer);
  for (const [at, word] of [0x46546c67, 2, bytes.byteLength, padded, 0x4e4f534a].entries()) {
    view.setUint32(at * 4, word, true);
  }
  bytes.set(json, 20);
  return bytes;
}

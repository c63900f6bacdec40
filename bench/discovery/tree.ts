import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ASSETS = 500;
const MESHES = 16;

/** Robots as in MuJoCo Menagerie, glTF samples and ROS packages: 500 folders with 20 files each. */
export function writeTree(root: string): { assets: number; files: number } {
  let files = 0;
  const write = (path: string, content: string | Uint8Array) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    files++;
  };
  for (let at = 0; at < ASSETS; at++) {
    const folder = `thing-${at}`;
    write(`${folder}/README.md`, `# Thing ${at}\n\nA thing that does something of its own, number ${at}.\n`);
    write(
      `${folder}/LICENSE`,
      `Copyright ${at}\n\nLicensed under https://www.apache.org/licenses/LICENSE-2.0\n`,
    );
    const meshes = Array.from({ length: MESHES }, (_, mesh) => `link-${mesh}`);
    if (at % 2 === 0) {
      write(`${folder}/thing.xml`, mjcf(at, meshes));
      write(`${folder}/scene.xml`, '<mujoco><include file="thing.xml"/></mujoco>');
      for (const name of meshes) write(`${folder}/assets/${name}.obj`, shape());
    } else {
      write(
        `${folder}/package.xml`,
        `<package><name>thing-${at}</name><license>BSD-3-Clause</license></package>`,
      );
      write(`${folder}/urdf/thing.urdf`, urdf(at, meshes));
      for (const name of meshes) write(`${folder}/meshes/${name}.stl`, new Uint8Array(84 + 50 * 400));
    }
  }
  return { assets: ASSETS, files };
}

function mjcf(at: number, meshes: readonly string[]): string {
  const assets = meshes.map((name) => `<mesh name="${name}" file="${name}.obj"/>`).join('\n    ');
  const bodies = meshes.map(
    (name) => `<body name="${name}"><joint axis="0 0 1"/><geom type="mesh" mesh="${name}"/></body>`,
  );
  return `<mujoco model="thing-${at}">\n  <compiler meshdir="assets"/>\n  <asset>\n    ${assets}\n  </asset>\n  <worldbody>\n    ${bodies.join('\n    ')}\n  </worldbody>\n</mujoco>\n`;
}

function urdf(at: number, meshes: readonly string[]): string {
  const links = meshes.map(
    (name) =>
      `<link name="${name}"><visual><geometry><mesh filename="package://thing-${at}/meshes/${name}.stl"/></geometry></visual></link>`,
  );
  return `<robot name="thing-${at}">\n${links.join('\n')}\n</robot>\n`;
}

function shape(): string {
  const vertices = Array.from({ length: 300 }, (_, at) => `v ${at * 0.001} ${at * 0.002} ${at * 0.003}`);
  return `# a part\n${vertices.join('\n')}\nf 1 2 3\n`;
}

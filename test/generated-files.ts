import { randomFillSync } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { seeded } from './generated-texts.ts';

const MEDIAN = 8_192;
const MEAN = 17_700;
const FILES_PER_ASSET = 50;
const CHUNK = 16 * 1024 * 1024;

/** Ten thousand files of log-normal sizes (median 8 KB, 177 MB in total) in assets of fifty; deterministic sizes. */
export function writeSmallFiles(folder: string, files = 10_000): { files: number } {
  const random = seeded(7);
  const sigma = Math.sqrt(2 * Math.log(MEAN / MEDIAN));
  // A draw from the standard normal distribution (Box and Muller).
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const drawn = Array.from({ length: files }, () => MEDIAN * Math.exp(sigma * normal()));
  const factor = (MEAN * drawn.length) / drawn.reduce((sum, size) => sum + size, 0);
  writeModels(
    folder,
    drawn.map((size) => Math.round(size * factor)),
  );
  return { files };
}

/** OBJ files of these sizes in assets of fifty; the first file of each asset has the materials for the others. */
export function writeModels(folder: string, sizes: readonly number[]): void {
  const random = seeded(7);
  const coordinate = () => (2 * random() - 1).toFixed(6);
  const vertex = () => 1 + Math.floor(random() * 50);
  const vertices = textOf(() => `v ${coordinate()} ${coordinate()} ${coordinate()}\n`);
  const faces = textOf(() => `f ${vertex()} ${vertex()} ${vertex()}\n`);
  /** Whole lines from a random position, padded with spaces instead of a partial line. */
  const some = (text: Buffer, length: number) => {
    const start = text.indexOf('\n', Math.floor(random() * Math.max(0, text.length - length - 34))) + 1;
    const piece = Buffer.from(text.subarray(start, start + length));
    return piece.fill(' ', piece.lastIndexOf('\n') + 1);
  };
  for (const [at, size] of sizes.entries()) {
    const meshes = join(
      folder,
      `asset-${String(Math.floor(at / FILES_PER_ASSET)).padStart(3, '0')}`,
      'meshes',
    );
    if (at % FILES_PER_ASSET === 0) {
      mkdirSync(meshes, { recursive: true });
      const paint = (number: number) => `newmtl paint-${number}\nKd ${random().toFixed(3)} 0.5 0.5\n`;
      const paints = Array.from({ length: Math.ceil(size / 36) }, (_, number) => paint(number));
      writeFileSync(join(meshes, 'materials.mtl'), `newmtl steel\nKd 0.6 0.6 0.65\n${paints.join('')}`);
      continue;
    }
    const head = Buffer.from(`mtllib materials.mtl\no part-${at}\nusemtl steel\n`);
    const missing = Math.max(0, size - head.length);
    const shape = some(vertices, Math.ceil(0.6 * missing));
    const content = Buffer.concat([head, shape, some(faces, missing - shape.length)]);
    writeFileSync(join(meshes, `part-${at}.obj`), content);
  }
}

function textOf(line: () => string): Buffer {
  return Buffer.from(Array.from({ length: 100_000 }, line).join(''));
}

const FILES_PER_ROBOT = 33;

/**
 * The sizes of files in published robot collections, as bytes at each percentile: descriptions of a few hundred bytes,
 * meshes around 60 KB, scans and textures up to 4 MB.
 */
const PERCENTILES = [0, 10, 25, 50, 75, 90, 97, 100];
const BYTES = [200, 1_000, 8_000, 60_000, 350_000, 1_250_000, 2_400_000, 4 * 1024 * 1024];

/**
 * A thousand files of such sizes, 350 MiB in total: robots of thirty-two meshes and the URDF that refers to them; sizes
 * and order are deterministic.
 */
export function writeRobots(folder: string, files = 1_000): { files: number; bytes: number } {
  const random = seeded(7);
  const sizes = Array.from({ length: files }, (_, at) => ({ at, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ at }) => sizeAt((100 * (at + 0.5)) / files));
  let bytes = 0;
  for (let first = 0; first < files; first += FILES_PER_ROBOT) {
    const robot = `robot-${first / FILES_PER_ROBOT}`;
    const meshes = sizes.slice(first + 1, first + FILES_PER_ROBOT);
    const names = meshes.map((_, at) => `meshes/part-${at}.stl`);
    const contents = [urdfOf(robot, names), ...meshes.map(binaryStl)];
    mkdirSync(join(folder, robot, 'meshes'), { recursive: true });
    for (const [at, name] of [`${robot}.urdf`, ...names].entries()) {
      writeFileSync(join(folder, robot, name), contents[at] as Buffer);
      bytes += contents[at]?.length ?? 0;
    }
  }
  return { files, bytes };
}

/** Returns the size at a percentile, interpolated between known ones on a logarithmic scale. */
function sizeAt(percentile: number): number {
  const above = PERCENTILES.findIndex((known) => known >= percentile);
  const [from = 0, to = 0] = PERCENTILES.slice(above - 1);
  const [least = 0, most = 0] = BYTES.slice(above - 1);
  return Math.round(least * (most / least) ** ((percentile - from) / (to - from)));
}

/** A binary STL file of at most `size` bytes, with incompressible triangles. */
function binaryStl(size: number): Buffer {
  const triangles = Math.floor((size - 84) / 50);
  const content = Buffer.alloc(84 + triangles * 50);
  content.writeUInt32LE(triangles, 80);
  return randomFillSync(content, 84);
}

/** A URDF robot with one link per mesh, each joined to the previous one. */
function urdfOf(name: string, meshes: readonly string[]): Buffer {
  const links = meshes.map((mesh, at) => {
    const joint = `<joint name="joint-${at}" type="fixed"><parent link="link-${at - 1}"/><child link="link-${at}"/></joint>`;
    const visual = `<visual><geometry><mesh filename="${mesh}"/></geometry></visual>`;
    return `  <link name="link-${at}">${visual}</link>\n${at > 0 ? `  ${joint}\n` : ''}`;
  });
  return Buffer.from(`<robot name="${name}">\n${links.join('')}</robot>\n`);
}

/** One incompressible file of `bytes` bytes. */
export function writeLargeFile(file: string, bytes: number): void {
  mkdirSync(dirname(file), { recursive: true });
  const descriptor = openSync(file, 'w');
  const chunk = Buffer.allocUnsafe(CHUNK);
  for (let written = 0; written < bytes; written += CHUNK) {
    writeSync(descriptor, randomFillSync(chunk), 0, Math.min(CHUNK, bytes - written));
  }
  closeSync(descriptor);
}

/** Robots as in MuJoCo Menagerie and ROS packages: folders with 20 files each. Returns the number of files. */
export function writeDescribedRobots(root: string, count: number): number {
  let files = 0;
  const names = Array.from({ length: 16 }, (_, mesh) => `link-${mesh}`);
  const vertices = Array.from({ length: 300 }, (_, at) => `v ${at * 0.001} ${at * 0.002} ${at * 0.003}`);
  const shape = `# a part\n${vertices.join('\n')}\nf 1 2 3\n`;
  for (let at = 0; at < count; at++) {
    const name = `thing-${at}`;
    const write = (path: string, content: string | Uint8Array) => {
      const file = join(root, name, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      files++;
    };
    write('README.md', `# Thing ${at}\n\nA thing that does something of its own, number ${at}.\n`);
    write('LICENSE', `Copyright ${at}\n\nLicensed under https://www.apache.org/licenses/LICENSE-2.0\n`);
    if (at % 2 === 0) {
      const meshes = names.map((mesh) => `<mesh name="${mesh}" file="${mesh}.obj"/>\n`).join('');
      const geom = (mesh: string) => `<joint axis="0 0 1"/><geom type="mesh" mesh="${mesh}"/>`;
      const bodies = names.map((mesh) => `<body name="${mesh}">${geom(mesh)}</body>\n`).join('');
      const content = `<compiler meshdir="assets"/><asset>${meshes}</asset><worldbody>${bodies}</worldbody>`;
      write('thing.xml', `<mujoco model="${name}">${content}</mujoco>\n`);
      write('scene.xml', '<mujoco><include file="thing.xml"/></mujoco>');
      for (const mesh of names) write(`assets/${mesh}.obj`, shape);
    } else {
      const geometry = (mesh: string) =>
        `<geometry><mesh filename="package://${name}/meshes/${mesh}.stl"/></geometry>`;
      const links = names.map((mesh) => `<link name="${mesh}"><visual>${geometry(mesh)}</visual></link>\n`);
      write('package.xml', `<package><name>${name}</name><license>BSD-3-Clause</license></package>`);
      write('urdf/thing.urdf', `<robot name="${name}">\n${links.join('')}</robot>\n`);
      for (const mesh of names) write(`meshes/${mesh}.stl`, new Uint8Array(84 + 50 * 400));
    }
  }
  return files;
}

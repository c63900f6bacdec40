import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import loadModule from '@mujoco/mujoco';
import { discoverLibrary } from '../../packages/sdk/src/local-discovery/index.ts';

/** Compiles the entry points of each robot in a folder with MuJoCo and nothing else; prints the number of robots. */
const [folder = ''] = process.argv.slice(2);
const mujoco = await loadModule({ print: () => {}, printErr: () => {} });
const { assets, root, fragments } = discoverLibrary(folder);
for (const { id, entry = '', entryPoints = {}, files } of assets) {
  const place = `/${id}`;
  mujoco.FS.mkdir(place);
  mujoco.FS.mount(mujoco.FS.filesystems.MEMFS, {}, place);
  for (const { path } of files) {
    const full = `${place}/${path}`;
    mujoco.FS.mkdirTree(full.slice(0, full.lastIndexOf('/')), 0o777);
    mujoco.FS.writeFile(full, readFileSync(join(root, path)));
  }
  for (const file of new Set([entry, ...Object.values(entryPoints).map((point) => point.file)])) {
    if (fragments.has(file)) continue;
    const files = new mujoco.MjVFS();
    mujoco.MjModel.from_xml_path(`${place}/${file}`, files)?.delete();
    files.delete();
  }
  mujoco.FS.unmount(place);
}
process.stdout.write(`${assets.length}\n`);

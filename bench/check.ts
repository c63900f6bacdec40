import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuSeconds, withFolder } from './processes.ts';
import { DATA } from './real-assets.ts';
import { type BenchmarkRow, ratioRow } from './results.ts';

const ROBOTS = join(DATA, 'menagerie-dev');
const COUNT = 60;

/** Checking 60 robots compared with compiling them once, in CPU seconds. No rows without the robots. */
export async function benchCheck(): Promise<BenchmarkRow[]> {
  if (!existsSync(ROBOTS)) {
    process.stderr.write(`There is no ${ROBOTS}: no robots to check.\n`);
    return [];
  }
  return withFolder(async (folder) => {
    const robots = readdirSync(ROBOTS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (let at = 0; at < COUNT; at++) {
      const { name } = robots[at % robots.length] ?? { name: '' };
      const copy = join(folder, `${name}-${Math.floor(at / robots.length)}`);
      cpSync(join(ROBOTS, name), copy, { recursive: true });
    }
    const secondsOf = (work: keyof typeof WORKS) => {
      const { seconds, output } = cpuSeconds([process.execPath, import.meta.filename, work, folder]);
      if (Number(output) !== COUNT) throw new Error(`To ${work} found ${output} robots, not ${COUNT}.`);
      return seconds;
    };
    const compiled = secondsOf('compile');
    const checked = secondsOf('check');
    const [bindery, peer] = [`${checked.toFixed(1)} s`, `compiling them once ${compiled.toFixed(1)} s`];
    const row = { work: `check of ${COUNT} MJCF robots`, bindery, peer };
    return [ratioRow(row, checked / compiled, { most: 1.5, unit: '× its time' })];
  });
}

/** What a separate process does with a folder; each returns the number of robots in it. */
const WORKS = { check, compile };

/** As `library check` does. */
async function check(folder: string): Promise<number> {
  const { createModelCheckPool } = await import('../packages/render/src/index.ts');
  const { checkLibrary } = await import('../packages/sdk/src/check/check.ts');
  const { discoverLibrary } = await import('../packages/sdk/src/local-discovery/discover-library.ts');
  await using pool = createModelCheckPool({ workers: 2, timeoutMs: 600_000, memoryMiB: 2_048 });
  return (await checkLibrary(discoverLibrary(folder), pool)).assets;
}

/** Compiles the entry points of each robot with MuJoCo, and does nothing else. */
async function compile(folder: string): Promise<number> {
  const { default: loadModule } = await import('@mujoco/mujoco');
  const { discoverLibrary } = await import('../packages/sdk/src/local-discovery/discover-library.ts');
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
  return assets.length;
}

if (import.meta.main) {
  const [work = '', folder = ''] = process.argv.slice(2);
  process.stdout.write(`${await WORKS[work as keyof typeof WORKS](folder)}\n`);
}

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canRun } from '../packages/sdk/test/credentials/needed-programs.ts';
import { CLIENTS_PYTHON, missingPythonClients } from '../test/python-clients.ts';
import { createAuthor } from './author.ts';
import { bindery, type RunningService, serve, temporaryFolder } from './bindery.ts';

const PACKAGE = fileURLToPath(new URL('../python', import.meta.url));
/** Real libraries, if they are next to the repository. */
const LIBRARIES = fileURLToPath(new URL('../../shared/data', import.meta.url));
const run = promisify(execFile);

describe.runIf(canRun('Python clients', missingPythonClients()))('with the Python clients of others', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const environment = () => ({ PATH: process.env.PATH, HOME: folder, PYTHONPATH: PACKAGE });

  test('the Python package passes its own tests of them', async () => {
    const words = ['-m', 'unittest', 'discover', '-s', 'tests/clients'];
    const { stderr } = await run(CLIENTS_PYTHON, words, { cwd: PACKAGE, env: environment() });
    expect(stderr).toMatch(/Ran [1-9]\d* tests[\s\S]*\nOK\n/);
  });

  describe.runIf(existsSync(LIBRARIES))('and real libraries on a service', () => {
    let service: RunningService;
    let settings: Record<string, string>;
    let env: NodeJS.ProcessEnv;
    beforeAll(async () => {
      service = await serve();
      settings = {
        BINDERY_TOKEN: await createAuthor(service),
        BINDERY_API_URL: service.url,
        XDG_CACHE_HOME: join(folder, 'cache'),
      };
      for (const library of ['menagerie-dev', 'urdf-dev', 'gltf-dev']) {
        const pushed = await bindery(['library', 'push', join(LIBRARIES, library)], { env: settings });
        expect(pushed).toMatchObject({ exitCode: 0 });
      }
      env = { ...environment(), ...settings, STRANGER: await createAuthor(service, 'eve') };
    });
    afterAll(() => service?.dispose());

    /** Runs a script and returns the JSON that it prints last; clients print to stdout themselves. */
    async function python(script: string): Promise<unknown> {
      const { stdout } = await run(CLIENTS_PYTHON, ['-c', `import bindery, json\n${script}`], {
        cwd: folder,
        env,
      });
      return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
    }

    test('MuJoCo gets the same model of every robot as from its folder', async () => {
      const script = `import mujoco, numpy, pathlib
def equal(one, other):
  # All numbers, but for the places of paths, which differ with their lengths.
  names = [name for name in dir(one) if not name.startswith("_") and not name.endswith("pathadr")]
  values = [(getattr(one, name), getattr(other, name)) for name in names]
  return all(numpy.array_equal(*pair) for pair in values if isinstance(pair[0], numpy.ndarray))
same = {}
for scene in sorted(pathlib.Path("${LIBRARIES}/menagerie-dev").glob("*/scene*.xml")):
  address = f"ada/menagerie-dev/{scene.parent.name}"
  loaded = bindery.load(address, "mujoco", file=f"{scene.parent.name}/{scene.name}")
  same[f"{scene.parent.name}/{scene.name}"] = equal(loaded, mujoco.MjModel.from_xml_path(str(scene)))
print(json.dumps(same))`;
      const same = (await python(script)) as Record<string, boolean>;
      expect(Object.keys(same).length).toBeGreaterThan(9);
      expect(Object.entries(same).filter(([, equal]) => !equal)).toEqual([]);
    });

    test('URDF with packages is opened by MuJoCo, yourdfpy, Pinocchio and, without glTF, PyBullet', async () => {
      const script = `import pybullet
pybullet.connect(pybullet.DIRECT)
found = {}
for hit in bindery.search("", "ada/urdf-dev", kind="urdf").hits:
  for library in ["mujoco", "yourdfpy", "pinocchio", *(["pybullet"] if hit.asset.startswith("jpl") else [])]:
    found.setdefault(library, []).append(bindery.load(hit.address, library) is not None)
print(json.dumps({library: len(robots) for library, robots in found.items()}))`;
      expect(await python(script)).toEqual({ mujoco: 6, yourdfpy: 6, pinocchio: 6, pybullet: 2 });
    });

    test('a robot in MJCF is opened by PyBullet and OpenUSD in the formats that they read', async () => {
      const script = `import mujoco, pybullet
from pxr import UsdPhysics
address = "ada/menagerie-dev/trs_so_arm100"
model = bindery.load(address, "mujoco", as_="mjcf")
client = pybullet.connect(pybullet.DIRECT)
body = bindery.load(address, "pybullet", as_="urdf")
masses = [pybullet.getDynamicsInfo(body, link)[0] for link in range(-1, pybullet.getNumJoints(body))]
stage = bindery.load(address, "usd", as_="usd")
joints = [prim for prim in stage.Traverse() if prim.IsA(UsdPhysics.RevoluteJoint)]
print(json.dumps({
  "differs": abs(sum(masses) - float(model.body_mass.sum())) > 1e-6, "joints": [model.njnt, len(joints)],
}))`;
      expect(await python(script)).toEqual({ differs: false, joints: [6, 6] });
    });

    test('fsspec walks libraries and reads every byte of them, and finds nothing that is hidden', async () => {
      const script = `import fsspec, os, pathlib
from bindery._fsspec import BinderyFileSystem
fsspec.register_implementation("bindery", BinderyFileSystem)
files = fsspec.filesystem("bindery")
content = files.cat(files.find("ada/urdf-dev"))
different = [path for path, data in content.items() if pathlib.Path("${LIBRARIES}", path.removeprefix("ada/")).read_bytes() != data]
stranger = fsspec.filesystem("bindery", token=os.environ["STRANGER"])
print(json.dumps({
  "libraries": files.ls("ada", detail=False), "read": len(content), "different": different,
  "seen": [stranger.exists(path) for path in ["ada/urdf-dev", "ada/nothing", "nobody"]],
}))`;
      const found = (await python(script)) as { read: number };
      expect(found.read).toBeGreaterThan(80);
      expect(found).toMatchObject({
        libraries: ['ada/gltf-dev', 'ada/menagerie-dev', 'ada/urdf-dev'],
        different: [],
        seen: [false, false, false],
      });
    });

    test('a project laid out for ROS 2 has the packages of its assets, for Pinocchio and rospkg', async () => {
      const project = join(folder, 'project');
      await mkdir(project);
      const types = async (...words: string[]) => {
        const ended = await bindery(words, {
          env: { ...settings, XDG_STATE_HOME: join(folder, 'state') },
          cwd: project,
        });
        expect(ended).toMatchObject({ exitCode: 0 });
      };
      await types('use', 'ada/urdf-dev?kind=urdf');
      await types('sync', '--ros');
      const script = `import os, pathlib, pinocchio, rospkg
robot = pinocchio.RobotWrapper.BuildFromURDF("assets/ada/urdf-dev/allegro_hand_description/urdf/allegro_hand_description_left.urdf")
packages = rospkg.RosPack([os.environ["AMENT_PREFIX_PATH"].split(":")[-1] + "/share"])
print(json.dumps({
  "packages": sorted(packages.list()), "about": packages.get_manifest("drake_models").description,
  "meshes": [os.path.relpath(os.path.realpath(shape.meshPath)) for shape in robot.visual_model.geometryObjects][:1],
}))`;
      const sourced = '. assets/.ros/setup.sh && exec "$0" -c "$1"';
      const { stdout } = await run('sh', ['-c', sourced, CLIENTS_PYTHON, `import json\n${script}`], {
        cwd: project,
        env: { ...env, AMENT_PREFIX_PATH: '/opt/ros/jazzy' },
      });
      expect(JSON.parse(stdout)).toEqual({
        packages: ['T12', 'TriATHLETE', 'drake_models'],
        about: 'Files of ada/urdf-dev',
        meshes: ['assets/ada/urdf-dev/allegro_hand_description/meshes/base_link_left.gltf'],
      });
    });

    test('trimesh gets a scene of every glTF', async () => {
      const script = `hits = bindery.search("", "ada/gltf-dev").hits
print(json.dumps(all(len(bindery.load(hit.address, "trimesh").geometry) > 0 for hit in hits) and len(hits)))`;
      expect(await python(script)).toBe(8);
    });
  });
});

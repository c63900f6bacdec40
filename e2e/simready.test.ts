import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canRun } from '../packages/sdk/test/credentials/needed-programs.ts';
import { CLIENTS_PYTHON, missingPythonClients } from '../test/python-clients.ts';
import { Author, createAuthor } from './author.ts';
import { type RunningService, serve } from './bindery.ts';

/** An arm whose collider is the mesh that is seen of it, and a crate that only lies there. */
const FILES = {
  'arm/arm.xml': `<mujoco model="arm"><asset><mesh name="link" file="link.obj" scale=".1 .1 .4"/></asset><worldbody>
    <body name="link" pos="0 0 1"><joint name="hinge" axis="0 1 0" range="-90 90" damping=".1"/>
    <geom type="mesh" mesh="link" contype="0" conaffinity="0" rgba=".8 .1 .1 1"/>
    <geom type="mesh" mesh="link" group="3"/>
    <body name="tip" pos="0 0 .8"><joint name="wrist" axis="0 1 0" range="-90 90" damping=".1"/>
    <geom type="box" size=".05 .05 .2"/></body></body></worldbody>
    <actuator><position name="servo" joint="hinge" kp="10" forcerange="-5 5"/>
    <position name="turn" joint="wrist" kp="5" forcerange="-2 2"/></actuator></mujoco>`,
  'arm/link.obj': `${[-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => `v ${x} ${y} ${z}`))).join('\n')}
f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n`,
  'crate/crate.xml': `<mujoco model="crate"><worldbody><body name="crate"><freejoint/>
    <geom type="box" size=".1 .1 .1" mass="2"/></body></worldbody></mujoco>`,
  'bindery.yml': `assets:
  arm: {license: Apache-2.0, attribution: Ada, category: arm, meta: {qcode: Q333235}}
  crate: {license: CC0-1.0, attribution: Ada, category: crate, meta: {qcode: Q188075}}
`,
};

const VALIDATE = `
import json, sys
import simready.validate as simready
simready.initialize(rules_and_requirements_paths=[], features_paths=[], profiles_paths=[])
path, profile = sys.argv[1:]
asset = simready.AssetValidationConfig(asset_path=path, profile_id=profile)
print(json.dumps(simready.validate_asset(asset).features_summary))
`;

interface Feature {
  passed: boolean;
  blocking_failure: boolean;
  'failing requirements'?: string;
}

/** What NVIDIA's validator says, by feature. */
async function validate(stage: string, profile: string): Promise<Record<string, Feature>> {
  const { stdout } = await promisify(execFile)(CLIENTS_PYTHON, ['-c', VALIDATE, stage, profile]);
  return JSON.parse(stdout.slice(stdout.indexOf('{')));
}

const blocking = (features: Record<string, Feature>) =>
  Object.values(features).flatMap((feature) =>
    feature.blocking_failure ? [feature['failing requirements']] : [],
  );
const passed = (features: Record<string, Feature>) =>
  Object.keys(features).filter((name) => features[name]?.passed);

describe.runIf(canRun('simready-validate', missingPythonClients()))('pull --as usd', () => {
  let service: RunningService;
  let token: string;
  beforeAll(async () => {
    service = await serve();
    token = await createAuthor(service);
  });
  afterAll(() => service?.dispose());

  async function pullAs(asset: string) {
    const ada = await Author.create(service, token, FILES);
    await ada.push('ada/things');
    const folder = join(ada.home, asset);
    const { entry, losses } = await ada.run('pull', `ada/things/${asset}`, '--as', 'usd', '-o', folder);
    return { stage: join(folder, entry), losses };
  }

  test('writes a robot that passes simready-validate', async () => {
    const { stage, losses } = await pullAs('arm');
    const features = await validate(stage, 'Robot-Body');
    expect(blocking(features)).toEqual([]);
    expect(passed(features)).toEqual(
      expect.arrayContaining([
        'FET_004_ROBOT_MUJOCO',
        'FET_004_ROBOT_NEWTON',
        'FET_022_NEWTON',
        'FET_024_NEWTON',
      ]),
    );
    expect(losses.filter(({ what }: { what: string }) => what === 'SimReady')).toEqual([]);
  });

  test('writes a prop that fails only for what its source does not say, by the name of the requirement', async () => {
    const { stage, losses } = await pullAs('crate');
    expect(blocking(await validate(stage, 'Robotics-Prop'))).toEqual(["['com.nvidia.simready.SL.MAT.001']"]);
    expect(losses).toContainEqual(expect.objectContaining({ what: 'SimReady', names: ['SL.MAT.001'] }));
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canRun } from '../packages/sdk/test/credentials/needed-programs.ts';
import { missingPythonClients, writeEnginesPython } from '../test/python-clients.ts';
import { Author, createAuthor } from './author.ts';
import { bindery, type RunningService, serve } from './bindery.ts';

const PENDULUM = `<mujoco><worldbody><body name="bob" pos="0 0 1"><joint name="hinge" axis="0 1 0" damping=".1"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.5" size=".05" mass="1"/></body></worldbody></mujoco>`;

describe.runIf(canRun('engines', missingPythonClients()))('push --certify --engine', () => {
  let service: RunningService;
  let token: string;
  beforeAll(async () => {
    service = await serve();
    token = await createAuthor(service);
  });
  afterAll(() => service?.dispose());

  const author = (files = { 'arm/arm.xml': PENDULUM }) => Author.create(service, token, files);
  const PYBULLET = {
    name: 'pybullet',
    version: '3.2.7',
    verdict: 'passed',
    reasons: [],
    drift: { metres: expect.any(Number), radians: expect.any(Number) },
    losses: [],
  };

  test('publishes what an engine makes of a robot, which info shows, and keeps it with the same files', async () => {
    const ada = await author();
    ada.env.BINDERY_PYTHON = await writeEnginesPython(ada.home);
    const pushed = await ada.push('ada/arms', '--certify', '--engine', 'pybullet');
    expect(pushed.certificates).toMatchObject({
      simulated: 1,
      certified: 1,
      engines: [{ asset: 'arm', ...PYBULLET }],
    });
    expect((await ada.run('info', 'ada/arms/arm')).certificates[0].engines).toEqual([PYBULLET]);
    const { stdout } = await bindery(['info', 'ada/arms/arm'], { env: ada.env });
    expect(stdout).toMatch(/^engine +passed in pybullet 3\.2\.7, [\d.]+ mm and [\d.]+ mrad from MuJoCo$/m);
    const again = await ada.push('ada/arms', '--certify', '--engine', 'pybullet');
    expect(again.certificates).toMatchObject({
      simulated: 0,
      cached: 1,
      engines: [{ asset: 'arm', ...PYBULLET }],
    });
    expect((await ada.push('ada/arms', '--certify')).certificates).toMatchObject({
      simulated: 1,
      engines: [],
    });
  });

  test('agrees with Newton on a pendulum', async () => {
    const ada = await author();
    ada.env.BINDERY_PYTHON = await writeEnginesPython(ada.home);
    const pushed = await ada.push('ada/newton', '--certify', '--engine', 'newton');
    const [ofArm] = pushed.certificates.engines;
    expect(ofArm).toMatchObject({ name: 'newton', verdict: 'passed', reasons: [] });
    expect(ofArm.drift.radians).toBeLessThan(0.05);
  });

  test('publishes nothing where the engine is not installed, and says how to install it', async () => {
    const ada = await author();
    ada.env.BINDERY_PYTHON = '/usr/bin/python3';
    const { exitCode, stderr } = await bindery(
      ['push', ada.folder, 'ada/none', '--certify', '--engine', 'newton'],
      { env: ada.env },
    );
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      'engine "newton" needs Python\'s package: pip install "./python[engines]" in a clone',
    );
    await expect(ada.run('info', 'ada/none')).rejects.toThrow('exit 5');
  });

  test('is refused for an engine that there is not, and without --certify', async () => {
    const ada = await author();
    const refused = async (...options: string[]) =>
      (await bindery(['push', ada.folder, 'ada/none', ...options], { env: ada.env })).stderr;
    expect(await refused('--certify', '--engine', 'bullet')).toContain('expected newton or pybullet');
    expect(await refused('--engine', 'newton')).toContain('Add --certify');
  });
});

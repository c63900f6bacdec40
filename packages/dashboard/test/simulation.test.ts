import { createHash } from 'node:crypto';
import { type Certificate, digestText, formatDigest } from '@bindery/contract';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { publish, type WrittenAsset } from '../../server/test/libraries/publish.ts';
import { browserPath, findAccessibilityProblems, useDashboard } from './dashboard.ts';

const PENDULUM = `<mujoco><worldbody><body pos="0 0 1"><joint axis="0 1 0" damping=".1"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.5" size=".05" mass="1"/></body></worldbody></mujoco>`;
const asset: WrittenAsset = {
  id: 'pendulum',
  kind: 'mjcf',
  entry: 'pendulum/pendulum.xml',
  files: { 'pendulum/pendulum.xml': PENDULUM },
};
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const CERTIFICATE: Certificate = {
  verdict: 'passed',
  digest: formatDigest(sha256(digestText([{ path: 'pendulum/pendulum.xml', sha256: sha256(PENDULUM) }]))),
  file: 'pendulum/pendulum.xml',
  mujoco: '3.0.0',
  certifier: '1',
  timestep: 0.002,
  rest: { seconds: 10, energy: [0, 0, 0], contacts: 0 },
  problems: [{ code: 'nothing-below', message: 'at rest, pendulum falls 490 m: nothing holds it' }],
  losses: [],
  engines: [
    {
      name: 'pybullet',
      version: '3.2.7',
      verdict: 'failed',
      reasons: ['explodes: it becomes huge'],
      losses: [],
    },
  ],
};

describe.skipIf(browserPath === null)('the page of a robot', () => {
  const dashboard = useDashboard(['ada'], async (service) => {
    const ada = await service.member('ada');
    const picture = await sharp({ create: { width: 192, height: 192, channels: 4, background: 'red' } })
      .webp()
      .toBuffer();
    await publish(ada, 'ada/certified', {
      visibility: 'public',
      assets: [asset],
      generated: {
        '.bindery/certificates/pendulum.json': JSON.stringify(CERTIFICATE),
        '.bindery/certificates/pendulum.webp': picture,
      },
    });
    await publish(ada, 'ada/bare', { visibility: 'public', assets: [asset] });
  });

  test('shows what its publisher saw in simulation, and the run when asked to', async () => {
    const page = await dashboard.open('/app/ada/certified/pendulum');
    const simulation = page.getByRole('region', { name: 'Simulation' });
    await simulation.getByText('in MuJoCo 3.0.0, simulated by the publisher').waitFor();
    await simulation.getByRole('img', { name: 'At rest: 0 J' }).waitFor();
    await simulation.getByText('nothing holds it').waitFor();
    expect(await simulation.getByRole('button').count()).toBe(0);
    // Beside the viewer, one line leads to it.
    const line = page.getByText('Passed in MuJoCo 3.0.0 · Failed in pybullet 3.2.7');
    await line.getByRole('link', { name: 'Certificate' }).click();
    await page.waitForURL('**/ada/certified/pendulum#simulation');
    const run = simulation.getByRole('img', { name: 'The robot at rest and under random control' });
    expect(await run.count()).toBe(0);
    await simulation.getByText('Watch the run').click();
    await expect.poll(() => run.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(192);
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('lets a member have the service simulate it', async () => {
    const page = await dashboard.open('/app/ada/bare/pendulum', { userName: 'ada' });
    await page.getByRole('button', { name: 'Run simulation test' }).click();
    await page.getByText('simulated by this service').waitFor();
    await page.getByText('Passed', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Run simulation test' }).count()).toBe(0);
  });

  test('says nothing of simulation to visitors where nobody has simulated it', async () => {
    const page = await dashboard.open('/app/ada/bare/pendulum');
    await page.getByRole('heading', { name: 'Get it' }).waitFor();
    const button = page.getByRole('button', { name: 'Run simulation test' });
    expect(await button.count()).toBe(0);
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAssetConverter } from '../../src/adapters/conversions/renderer.ts';
import { exchange } from '../exchange.ts';
import { publish, type WrittenAsset } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';

const robot = (id: string, xml: string): WrittenAsset => ({
  id,
  kind: 'mjcf',
  entry: `${id}/${id}.xml`,
  files: { [`${id}/${id}.xml`]: `<mujoco>${xml}</mujoco>` },
});
const BALL = '<body pos="0 0 1"><freejoint/><geom size=".1" mass="1"/></body>';

const HOSTILE = [
  robot(
    'millions',
    `<worldbody><replicate count="3000" offset="0 0 1"><replicate count="3000" offset="1 0 0">${BALL}</replicate></replicate></worldbody>`,
  ),
  robot('endless', `<option timestep="1e-9"/><worldbody>${BALL}</worldbody>`),
  robot('memory', `<size memory="100G"/><worldbody>${BALL}</worldbody>`),
  robot(
    'texture',
    '<asset><texture name="t" type="2d" builtin="flat" width="30000" height="30000"/></asset>',
  ),
];

let service: TestService;
beforeAll(async () => {
  const converter = createAssetConverter({ timeoutMs: 30_000, memoryMiB: 700 });
  service = await startService({ converter });
  await publish(await service.member('ada'), 'ada/hostile', {
    visibility: 'public',
    assets: [...HOSTILE, robot('ball', `<worldbody>${BALL}</worldbody>`)],
  });
});
afterAll(() => service.close());

test.each(HOSTILE.map(({ id }) => id))(
  'a robot of %s is neither simulated nor converted without end, and the service goes on',
  { timeout: 240_000 },
  async (id) => {
    const ada = await service.member('ada');
    const certify = (robot: string) =>
      ada.post<{ verdict?: string; message?: string }>(
        `/namespaces/ada/libraries/hostile/assets/${robot}/certify`,
      );
    const attempts = Promise.all([
      certify(id),
      exchange(`${service.url}/raw/ada/hostile/${id}?as=glb`, { method: 'GET', headers: {} }),
    ]);
    expect((await ada.get('/namespaces/ada/libraries/hostile')).status).toBe(200);
    const [certified, converted] = await attempts;
    expect([200, 422, 503]).toContain(certified.status);
    expect(certified.body.verdict).not.toBe('passed');
    // One that only simulates without end is converted.
    expect([200, 422, 503]).toContain(converted.status);
    if (converted.status !== 200)
      expect(JSON.parse(converted.bytes.toString()).message).toMatch(/^(The asset cannot|Not done)/);
    expect((await certify('ball')).body.verdict).toBe('passed');
  },
);

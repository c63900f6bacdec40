import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { publish, type WrittenLibrary } from '../../server/test/libraries/publish.ts';
import { browserPath, findAccessibilityProblems, SHIFTS, useDashboard } from './dashboard.ts';

/** A finger on a base, whose joint has a limit in degrees. */
const finger = (length: number, limit: number) => `
<mujoco><worldbody><body name="base"><geom type="box" size="${length / 4} ${length / 4} ${length / 8}" mass="2"/>
<body name="tip" pos="0 0 ${length / 8}"><joint name="bend" axis="0 1 0" range="0 ${limit}"/>
<geom type="capsule" fromto="0 0 0 0 0 ${length}" size="${length / 20}" mass="${length}"/></body></body></worldbody></mujoco>`;

const grippers = (limit: number): WrittenLibrary => ({
  visibility: 'public',
  library: { title: 'Grippers', license: 'MIT' },
  assets: [
    {
      id: 'small',
      title: 'Small',
      kind: 'mjcf',
      entry: 'small/a.xml',
      files: { 'small/a.xml': finger(0.1, limit) },
    },
    {
      id: 'large',
      title: 'Large',
      kind: 'mjcf',
      entry: 'large/a.xml',
      files: { 'large/a.xml': finger(1, 45) },
    },
  ],
});

const shown = (page: Page) =>
  expect.poll(() => page.locator('[data-viewer="shown"]').count(), { timeout: 60_000 });
const picture = (page: Page, side: number) => page.locator('iframe').nth(side).screenshot();

describe.skipIf(browserPath === null)('two things side by side', () => {
  const dashboard = useDashboard(['ada'], async (service) => {
    const ada = await service.member('ada');
    await publish(ada, 'ada/grippers', grippers(90));
    await publish(ada, 'ada/grippers', grippers(60));
  });

  test('two assets are ticked in a search and seen at one scale, by one camera, fact by fact', async () => {
    const page = await dashboard.open('/app/ada/grippers');
    await page.getByRole('checkbox', { name: 'Compare Small' }).check();
    await page.getByText('Small: tick another to compare').waitFor();
    await page.getByRole('checkbox', { name: 'Compare Large' }).check();
    await page.getByRole('link', { name: 'Compare Small and Large' }).click();
    await page.waitForURL('**/app/ada/grippers/small?with=ada%2Fgrippers%2Flarge');
    await shown(page).toBe(2);
    await page.getByRole('row', { name: /^Mass ?, differs 2.1 kg 3 kg/ }).waitFor();
    await page.getByRole('row', { name: /^bend ?, differs 0° … 60° 0° … 45°/ }).waitFor();
    expect(await page.getByRole('row', { name: /^Licence ?, differs/ }).count()).toBe(0);
    const before = await picture(page, 0);
    await page.frameLocator('iframe').nth(1).locator('canvas').press('ArrowLeft');
    await expect.poll(async () => (await picture(page, 0)).equals(before), { timeout: 20_000 }).toBe(false);
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('a model is seen before and after in one view, with the limits that changed', async () => {
    const page = await dashboard.open('/app/ada/grippers/-/compare?from=1', { userName: 'ada' });
    await page.getByText('Both in 3D').click();
    await shown(page).toBe(2);
    await page.getByRole('row', { name: 'Limits of bend 0° … 90° 0° … 60°' }).waitFor();
    const line = page.getByRole('slider', { name: 'Line between before and after' });
    await line.press('End');
    expect(await line.inputValue()).toBe('100');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('two assets move nothing that is seen while they load on a phone', async () => {
    const page = await dashboard.open('/app/', { width: 390, height: 844, isUneven: true });
    await page.addInitScript(SHIFTS);
    await page.goto('/app/ada/grippers/small?with=ada/grippers/large');
    await page.getByRole('row', { name: /^bend ?, differs/ }).waitFor();
    expect(await page.evaluate('globalThis.shifted')).toBeLessThanOrEqual(0.05);
  });

  test('an asset that is gone is not compared', async () => {
    const page = await dashboard.open('/app/ada/grippers/small?with=ada/grippers/none');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
  });
});

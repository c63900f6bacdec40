import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { publish, type WrittenLibrary } from '../../server/test/libraries/publish.ts';
import { browserPath, findAccessibilityProblems, SHIFTS, useDashboard } from './dashboard.ts';
import { expectNothingHere } from './nothing-here.ts';

const lines = Array.from({ length: 12 }, (_, at) => `<joint name="j${at}"/>`);

/** Half blue and half of another colour. */
function picture(colour: string): Promise<Buffer> {
  const half = { create: { width: 40, height: 40, channels: 3 as const, background: colour } };
  return sharp({ create: { width: 80, height: 40, channels: 3, background: 'blue' } })
    .composite([{ input: half, left: 40, top: 0 }])
    .png()
    .toBuffer();
}

async function arms(colour: string, changed: boolean): Promise<WrittenLibrary> {
  const xml = changed ? lines.with(5, '<joint name="elbow"/>') : lines;
  return {
    visibility: 'public',
    library: { title: 'Arms', license: changed ? 'Apache-2.0' : 'MIT' },
    assets: [
      {
        id: 'arm',
        title: 'Arm',
        license: changed ? 'BSD-3-Clause' : 'MIT',
        thumbnail: 'arm/arm.png',
        meta: { statistics: { triangles: changed ? 2 : 1 } },
        files: { 'arm/arm.xml': xml.join('\n'), 'arm/arm.png': await picture(colour) },
      },
      changed
        ? { id: 'leg', title: 'Leg', files: { 'leg/leg.obj': 'v 1 0 0\n' } }
        : { id: 'hand', title: 'Hand', files: { 'hand/hand.obj': 'v 0 0 0\n' } },
    ],
    generated: { '.bindery/source/README.md': `# Arms\n\n${changed ? 'One arm and a leg' : 'One arm'}\n` },
  };
}

describe.skipIf(browserPath === null)('the history of a library', () => {
  const dashboard = useDashboard(['ada', 'stranger'], async (service) => {
    const ada = await service.member('ada');
    await publish(ada, 'ada/arms', await arms('green', false));
    await ada.post('/namespaces/ada/libraries/arms/releases', { name: 'v1' });
    await publish(ada, 'ada/arms', await arms('green', true));
    await publish(ada, 'ada/arms', await arms('yellow', true));
    await publish(ada, 'ada/secret', { ...(await arms('green', false)), visibility: 'private' });
  });

  test('says who published what and when, and leads to what a revision changed', async () => {
    const page = await dashboard.open('/app/ada/arms?tab=history', { userName: 'ada' });
    const revisions = page.getByRole('region', { name: 'History' }).getByRole('listitem');
    await expect.poll(() => revisions.count()).toBe(3);
    await revisions
      .first()
      .getByText(/ by ada$/)
      .waitFor();
    await revisions.last().getByRole('link', { name: 'v1' }).waitFor();
    await revisions.nth(1).getByText('Added Leg · Removed Hand · Changed Arm: Licence from MIT to').waitFor();
    await revisions.nth(1).getByRole('link', { name: '1 asset added, 1 changed, 1 removed' }).click();
    await page.waitForURL('**/app/ada/arms/-/compare?from=1&to=2');
    await page.getByText('1 asset added, 1 changed, 1 removed').waitFor();
    await page.getByText(/^bindery library diff ada\/arms#1 ada\/arms#2 /).waitFor();
    await page.goBack();
    await revisions.first().waitFor();
  });

  test('compares a release with the newest revision: assets, facts, files, lines and pictures', async () => {
    const page = await dashboard.open('/app/ada/arms?tab=releases');
    await page.getByRole('link', { name: 'Changes since v1' }).click();
    await page.getByRole('region', { name: 'Added assets' }).getByRole('link', { name: 'leg' }).waitFor();
    await page.getByRole('region', { name: 'Removed assets' }).getByRole('link', { name: 'hand' }).waitFor();
    const library = page.getByRole('region', { name: 'The library' });
    await library.getByRole('row', { name: 'Licence MIT Apache-2.0' }).waitFor();
    await library.getByText('README.md').click();
    await library.getByText('+One arm and a leg').waitFor();
    const arm = page.getByRole('region', { name: 'Arm', exact: true });
    expect(await arm.getByText(/statistics/).count()).toBe(0);
    await arm.getByRole('row', { name: 'Licence MIT BSD-3-Clause' }).waitFor();
    await arm.getByRole('img', { name: 'Arm before' }).waitFor();
    await arm.getByText('50 % differs').waitFor();
    await arm.getByText('arm/arm.xml').click();
    const changed = arm.getByRole('region', { name: 'arm/arm.xml' });
    await changed.getByText('-<joint name="j5"/>').waitFor();
    await changed.getByText('+<joint name="elbow"/>').waitFor();
    await expect.poll(() => changed.getByText('j0').count()).toBe(0);
    await page.getByText(/^bindery library diff ada\/arms@v1 --texts/).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'From' }).selectOption('Revision 3');
    await page.waitForURL('**/-/compare?from=3');
    await page.getByText('No asset differs.').waitFor();
  });

  test.each([
    { colorScheme: 'dark', width: 320 },
    { colorScheme: 'light', width: 1280 },
  ] as const)('is compared accessibly: $colorScheme, $width px', async (look) => {
    const page = await dashboard.open('/app/ada/arms/-/compare?from=@v1', look);
    await page.locator('summary', { hasText: 'arm/arm.png' }).click();
    await page.getByText('50 % differs').nth(1).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test.each([
    { path: '/app/ada/arms/-/compare?from=@v1', last: '50 % differs', width: 390, height: 844 },
    { path: '/app/ada/arms/-/compare?from=@v1', last: '50 % differs', width: 1280, height: 800 },
    { path: '/app/ada/arms?tab=readme', last: 'One arm and a leg', width: 390, height: 844 },
  ])('moves nothing that is seen while it loads: $path, $width px', async ({ path, last, ...look }) => {
    const page = await dashboard.open('/app/', { ...look, isUneven: true });
    await page.addInitScript(SHIFTS);
    await page.goto(path);
    await page.getByText(last).waitFor();
    expect(await page.evaluate('globalThis.shifted')).toBeLessThanOrEqual(0.05);
  });

  test('offers a replaced revision to those who manage the library, and is missing for everybody else', async () => {
    const page = await dashboard.open('/app/ada/arms/-/compare?from=2', { userName: 'ada' });
    await page.getByText('1 asset changed').waitFor();
    const stranger = await dashboard.open('/app/ada/arms?tab=history', { userName: 'stranger' });
    await stranger.getByText('1 asset added, 1 changed, 1 removed').waitFor();
    await expect.poll(() => stranger.getByText(/by ada/).count()).toBe(0);
    await expect.poll(() => stranger.getByRole('link', { name: '1 asset added' }).count()).toBe(0);
    await stranger.goto('/app/ada/arms/-/compare?from=2');
    await stranger.getByRole('heading', { name: 'Not found' }).waitFor();
    const paths = ['/app/ada/secret/-/compare?from=1', '/app/ada/nothing/-/compare?from=1'];
    await expectNothingHere(await Promise.all(paths.map((path) => dashboard.open(path))));
  });
});

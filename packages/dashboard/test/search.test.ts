import { describe, expect, test } from 'vitest';
import { publish, type WrittenAsset } from '../../server/test/libraries/publish.ts';
import { browserPath, findAccessibilityProblems, useDashboard } from './dashboard.ts';

const asset = (id: string, title: string, more: Partial<WrittenAsset> = {}): WrittenAsset => ({
  id,
  title,
  kind: 'mesh',
  license: 'MIT',
  files: { [`${id}/model.obj`]: `v 0 0 0\n# ${id}` },
  ...more,
});

describe.skipIf(browserPath === null)('searching all libraries', () => {
  const dashboard = useDashboard(['stranger'], async (service) => {
    const ada = await service.member('ada');
    await publish(ada, 'ada/robots', {
      visibility: 'public',
      library: { title: 'Robots' },
      assets: [
        asset('2f85', 'Robotiq gripper', { tags: ['two fingers', 'gripper'], license: 'Apache-2.0' }),
        asset('hand', 'Robot hand', { kind: 'urdf', tags: ['hand'] }),
        asset('arm', 'Arm with a gripper', {
          kind: 'mjcf',
          files: { 'arm/model.xml': '<mujoco model="arm"/>'.padEnd(4_000) },
        }),
      ],
    });
    await publish(ada, 'ada/kitchen', {
      visibility: 'public',
      library: { title: 'Kitchen' },
      assets: [asset('mug', 'Red mug'), asset('tongs', 'Tongs, a gripper for pasta', { license: 'mit' })],
    });
    await publish(ada, 'ada/secret', { assets: [asset('hidden', 'Gripper of ours', { tags: ['grim'] })] });
  });

  test('shows which parts of the query are filters, and searches for the words of one that is clicked away', async () => {
    const page = await dashboard.open('/app/?q=gripper+under+2+kB,+permissive+licence');
    await page.getByText('2 results').waitFor();
    const parts = page.getByRole('list', { name: 'Read as filters' });
    await expect
      .poll(() => parts.getByRole('button').allTextContents())
      .toEqual(['Download: up to 2 kB ×', 'Licence: any permissive licence ×']);
    await expect.poll(() => page.getByRole('checkbox', { checked: true }).count()).toBe(2);
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Download: up to 2 kB' }).click();
    await page.getByText('3 results').waitFor();
    await page.waitForURL('**/app/?q=*&asWords=under+2+kB');
    await page.getByRole('button', { name: 'Searched as words: “under 2 kB”' }).click();
    await page.getByText('2 results').waitFor();
    await page.getByRole('checkbox', { name: 'any permissive licence' }).click();
    await page.getByRole('button', { name: 'Searched as words: “permissive licence”' }).waitFor();
  });

  test('says which filter leaves nothing and what there is instead, and searches without it', async () => {
    const page = await dashboard.open('/app/?q=gripper+under+2+kB,+copyleft');
    await page.getByText('Without “Licence: any copyleft licence” there are 2 results.').waitFor();
    await page.getByText('Here there is any permissive licence (2).').waitFor();
    await page.getByRole('button', { name: 'Search without “Licence”' }).click();
    await page.getByText('2 results').waitFor();
    await page.waitForURL('**/app/?q=gripper+under+2+kB');
  });

  test('accepts several values per filter and a sort order, and keeps all of it in the URL', async () => {
    const page = await dashboard.open('/app/?q=gripper');
    await page.getByText('3 results').waitFor();
    await page.getByRole('checkbox', { name: 'ada/kitchen 1' }).click();
    await page.getByText('1 result').waitFor();
    await page.getByRole('checkbox', { name: 'ada/robots 2' }).click();
    await page.getByText('3 results').waitFor();
    await page.getByRole('checkbox', { name: 'MIT 2' }).click();
    await page.getByLabel('Sort by').selectOption('size');
    await page.waitForURL(
      '**/app/?q=gripper&library=ada%2Fkitchen&library=ada%2Frobots&license=MIT&sort=size',
    );
    await expect
      .poll(() => page.getByRole('article').getByRole('heading').allTextContents())
      .toEqual(['Arm with a gripper', 'Tongs, a gripper for pasta']);
    await page.reload();
    await page.getByText('2 results').waitFor();
    await expect.poll(() => page.getByRole('checkbox', { checked: true }).count()).toBe(3);
    await expect.poll(() => page.getByLabel('Sort by').inputValue()).toBe('size');
    await page.getByRole('checkbox', { name: 'ada/robots 1' }).click();
    await page.getByText('1 result').waitFor();
    await page.goto('/app/?license=mit');
    await page.getByText('4 assets', { exact: true }).waitFor();
    await expect.poll(() => page.getByRole('checkbox', { checked: true }).count()).toBe(1);
  });

  test('finds libraries and namespaces by their names, above the assets', async () => {
    const page = await dashboard.open('/app/?q=kitch');
    const named = page.getByRole('region', { name: 'Libraries and namespaces' });
    await expect.poll(() => named.getByRole('listitem').allTextContents()).toEqual(['Kitchen ada/kitchen']);
    await named.getByRole('link', { name: 'Kitchen' }).click();
    await page.waitForURL('**/app/ada/kitchen');
    await page.goto('/app/?q=ada');
    await expect
      .poll(() => named.getByRole('listitem').allTextContents())
      .toEqual(['ada namespace', 'Kitchen ada/kitchen', 'Robots ada/robots']);
    await named.getByRole('link', { name: 'ada', exact: true }).click();
    await page.waitForURL('**/app/ada');
  });

  test('asks once for what is typed without a pause, and gives up what was asked before', async () => {
    const page = await dashboard.open('/app/ada/robots');
    await page.getByText('3 assets', { exact: true }).first().waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/search')) asked.push(searchParams.get('q') ?? '');
    });
    await page.getByRole('searchbox').pressSequentially('gripper');
    await page.getByText('2 results').waitFor();
    await page.waitForURL('**/app/ada/robots?q=gripper');
    expect(asked.filter((query) => query !== 'gripper')).toEqual([]);
  });

  test('says that nothing has words in quotes next to each other, and searches without the quotes', async () => {
    const page = await dashboard.open('/app/?q=%22hand+robot%22');
    await page.getByText('Nothing has the quoted words next to each other').waitFor();
    await page.getByRole('button', { name: 'Search without the quotes' }).click();
    await page.waitForURL('**/app/?q=hand+robot');
    await page.getByRole('link', { name: 'Robot hand' }).waitFor();
    await page.goto('/app/?q=gripper&kind=sdf');
    await page.getByRole('button', { name: 'Search without the filters' }).click();
    await page.getByText('3 results').waitFor();
  });

  test('shows no hits of another query while the service cannot be reached', async () => {
    const page = await dashboard.open('/app/?q=gripper');
    await page.getByText('3 results').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('combobox', { name: 'Search all libraries' }).fill('mug');
    await page.getByText('The service cannot be reached.').waitFor();
    await expect.poll(() => page.getByRole('article').count()).toBe(0);
    await expect.poll(() => page.getByText('3 results').count()).toBe(0);
    await page.context().setOffline(false);
    await page.getByRole('link', { name: 'Red mug' }).waitFor();
  });

  test('Back leads to the place that was left: the same card, as far down', async () => {
    const page = await dashboard.open('/app/?license=MIT', { height: 400 });
    const link = page.getByRole('link', { name: 'Robot hand' });
    await link.waitFor();
    // At once, before the browser tells of the scrolling.
    const scrolled = await page.evaluate(`(() => {
      const link = document.querySelector('a[href="/app/ada/robots/hand"]');
      link.scrollIntoView({ block: 'center' });
      const top = scrollY;
      link.focus();
      link.click();
      return top;
    })()`);
    expect(scrolled).toBeGreaterThan(0);
    await page.waitForURL('**/app/ada/robots/hand');
    await page.locator('main:focus').waitFor();
    await page.goBack();
    await link.and(page.locator(':focus')).waitFor();
    await expect.poll(() => page.evaluate('scrollY')).toBe(scrolled);
  });

  test('Back takes a filter away, and a typed query as a whole', async () => {
    const page = await dashboard.open('/app/');
    await page.getByRole('combobox', { name: 'Search all libraries' }).pressSequentially('gripper');
    await page.getByText('3 results').waitFor();
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: 'ada/kitchen 1' }).click();
    await page.waitForURL('**/app/?q=gripper&library=ada%2Fkitchen');
    await page.goBack();
    await page.getByText('3 results').waitFor();
    expect(new URL(page.url()).search).toBe('?q=gripper');
    await page.goBack();
    await page.getByRole('heading', { name: 'Kitchen' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  test('suggests a correction for a mistyped word, and searches for it on click', async () => {
    const page = await dashboard.open('/app/?q=grpper');
    await page.getByText('3 results').waitFor();
    await page.getByText('Did you mean').getByRole('button', { name: 'gripper' }).click();
    await page.waitForURL('**/app/?q=gripper');
    await expect.poll(() => page.getByText('Did you mean').count()).toBe(0);
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Search all libraries' }).inputValue())
      .toBe('gripper');
  });

  test('suggests names and tags by keyboard and pointer, and nothing that is hidden', async () => {
    const page = await dashboard.open('/app/');
    const box = page.getByRole('combobox', { name: 'Search all libraries' });
    await box.pressSequentially('gri');
    const options = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
    await expect
      .poll(() => options.allTextContents())
      .toEqual([
        'Robotiq gripperada/robots',
        'Arm with a gripperada/robots',
        'Tongs, a gripper for pastaada/kitchen',
        'grippertag, 1 asset',
      ]);
    await box.press('ArrowUp');
    await expect.poll(() => options.last().getAttribute('aria-selected')).toBe('true');
    await box.press('Enter');
    await page.waitForURL('**/app/?tag=gripper');
    await page.getByText('1 asset', { exact: true }).waitFor();
    await box.fill('');
    await box.pressSequentially('hand');
    await options.filter({ hasText: 'Robot hand' }).click();
    await page.waitForURL('**/app/ada/robots/hand');
  });

  test('says what to do if a single letter or a whole query finds nothing', async () => {
    const page = await dashboard.open('/app/?q=g');
    await page.getByText('Keep typing (2 letters at least).').waitFor();
    await page.getByRole('combobox', { name: 'Search all libraries' }).fill('gr');
    await page.getByText('3 results').waitFor();
    await page.goto('/app/?q=nothingofthis');
    await page.getByText('Try fewer words').waitFor();
  });

  test('closes suggestions with Escape and keeps what was typed', async () => {
    const page = await dashboard.open('/app/');
    const box = page.getByRole('combobox', { name: 'Search all libraries' });
    await box.pressSequentially('mug');
    const list = page.getByRole('listbox', { name: 'Suggestions' });
    await list.waitFor();
    await box.press('Escape');
    await expect.poll(() => list.isVisible()).toBe(false);
    await expect.poll(() => box.inputValue()).toBe('mug');
  });

  test.each([
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'dark', width: 1280 },
    { colorScheme: 'light', width: 320 },
    { colorScheme: 'dark', width: 320 },
  ] as const)('passes accessibility checks: $colorScheme, $width px', async (look) => {
    const page = await dashboard.open('/app/?q=grpper&kind=mesh', look);
    await page.getByText('2 results').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    if (look.width === 320) await page.locator('summary').click();
    await page.getByRole('combobox', { name: 'Search all libraries' }).fill('grip');
    await page.getByRole('listbox', { name: 'Suggestions' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });
});

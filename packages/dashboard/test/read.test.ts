import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { browserPath, findAccessibilityProblems, useDashboard } from './dashboard.ts';
import { expectNothingHere } from './nothing-here.ts';

const HOSTILE = '<script>alert(1)</script>';

/** A one-pixel GIF whose bytes are valid text, because the tests' files are strings. */
const PIXEL = 'GIF89a\u0001\0\u0001\0\0\0\0,\0\0\0\0\u0001\0\u0001\0\0\u0002\u0002D\u0001\0;';

const README = `# The pot

It *holds* two litres; [more](https://example.org/pot), [a trap](javascript:alert(1)), [a file](pot.obj),
[a way out](..%2F..%2Fsecret), [below](#how-hot-is-it).

## How *hot* is it?

![From the side](figures/side%20view.png) ![Elsewhere](https://example.org/spy.png) ![Above](../../../secret.png)

<p>Words in <img src="https://example.org/spy.png" alt="A spy" onerror="alert(1)"><b>HTML</b><script>alert(1)</script></p>

<p float="left"><img src='figures/side view.png' width="400"></p>

> [!WARNING]
> It is hot.

| Part | Litres |
| ---- | ------ |
| lid  | 0      |
`;

/** Takes minutes to parse as Markdown. */
const SLOW = 'a**_b'.repeat(13_000);

describe.skipIf(browserPath === null)('licences, credits and READMEs', () => {
  const dashboard = useDashboard(['stranger'], async (service) => {
    const ada = await service.member('ada');
    await publish(ada, 'ada/kitchen', {
      visibility: 'public',
      library: {
        title: 'Kitchen',
        license: 'MIT',
        description:
          'See https://example.org/a (and http://x.example).\n\n- **Hot**\n- <b onclick=alert(1)>Cold</b>',
      },
      assets: [
        { id: 'mug', title: HOSTILE, attribution: 'Ada', files: { 'mug/mug.obj': 'v 0 0 0\n' } },
        {
          id: 'cup',
          license: 'Apache-2.0 OR CC0-1.0',
          upstream: { url: 'javascript:alert(1)' },
          files: { 'cup/cup.obj': 'v 0 0 1\n' },
        },
        {
          id: 'pot',
          files: {
            'pot/pot.obj': 'v 0 0 3\n',
            'pot/parts/README.md': '# Not this one',
            'pot/README.md': README,
            'pot/figures/side view.png': PIXEL,
          },
        },
        { id: 'jug', license: HOSTILE, files: { 'jug/jug.obj': 'v 0 0 2\n' } },
      ],
      generated: {
        '.bindery/source/README.md': `${README.replaceAll(/figures\/|(?<=\()pot\.obj/g, 'pot/$&')}\n[The pot](pot/README.md)\n`,
      },
    });
    await publish(ada, 'ada/garage', {
      visibility: 'public',
      assets: [{ id: 'can', files: { 'can/can.obj': 'v 0 0 4\n', 'can/README.md': SLOW } }],
    });
    await publish(ada, 'ada/secret', { assets: [{ id: 'a', files: { 'a.obj': 'v 0 0 0\n' } }] });
  });

  test('the text of a licence opens on request, and URLs in a description are links', async () => {
    const page = await dashboard.open('/app/ada/kitchen/mug');
    await page.getByText('Text of MIT').click();
    await page.getByText('Permission is hereby granted, free of charge').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.goto('/app/ada/kitchen?tab=readme');
    const link = page.getByRole('link', { name: 'https://example.org/a', exact: true });
    await expect.poll(() => link.getAttribute('href')).toBe('https://example.org/a');
    await expect
      .poll(() => page.getByRole('link', { name: 'http://x.example', exact: true }).getAttribute('href'))
      .toBe('http://x.example');
  });

  test.each([
    {
      path: '/app/ada/kitchen/pot',
      linked: '/app/ada/kitchen/pot?file=pot%2Fpot.obj',
      colorScheme: 'light',
      width: 320,
    },
    {
      path: '/app/ada/kitchen?tab=readme',
      linked: '/raw/ada/kitchen/pot/pot.obj',
      colorScheme: 'dark',
      width: 1280,
    },
  ] as const)(
    'assets and libraries show their README with only their own images: $path, $colorScheme, $width px',
    async ({ path, linked, ...look }) => {
      const page = await dashboard.open(path, look);
      const readme = page.getByRole('region', { name: 'README' });
      await readme.getByRole('heading', { name: 'The pot', level: 3 }).waitFor();
      const links = readme.locator('a');
      await expect
        .poll(() => links.evaluateAll((all) => all.slice(0, 5).map((link) => link.getAttribute('href'))))
        .toEqual(['https://example.org/pot', null, linked, null, '#readme-how-hot-is-it']);
      await readme.getByRole('link', { name: 'below' }).click();
      await expect.poll(() => page.url()).toMatch(/#readme-how-hot-is-it$/);
      await readme.getByRole('heading', { name: 'How hot is it?', level: 4 }).waitFor();
      const pictures = readme.locator('img');
      await expect.poll(() => pictures.count()).toBe(2);
      await pictures.last().scrollIntoViewIfNeeded();
      await expect
        .poll(() => pictures.last().evaluate(({ naturalWidth }: HTMLImageElement) => naturalWidth))
        .toBe(1);
      await expect.poll(() => readme.textContent()).toContain('[Elsewhere]');
      await expect.poll(() => readme.textContent()).toContain('Words in [A spy]HTML');
      await expect.poll(() => readme.textContent()).not.toContain('alert');
      await readme.getByText('Warning', { exact: true }).waitFor();
      await expect.poll(() => readme.getByText('Not this one').count()).toBe(0);
      expect(await findAccessibilityProblems(page)).toEqual([]);
    },
  );

  test('a relative link of a README opens the file beside it, or the page of another asset', async () => {
    const page = await dashboard.open('/app/ada/kitchen?tab=readme');
    await page.getByRole('link', { name: 'The pot' }).click();
    await page.waitForURL('**/app/ada/kitchen/pot');
    // The page of the library has that link too, and stays until the other page is there.
    await expect.poll(() => page.getByRole('link', { name: 'The pot' }).count()).toBe(0);
    await page.getByRole('region', { name: 'README' }).getByRole('link', { name: 'a file' }).click();
    await page.waitForURL('**/app/ada/kitchen/pot?file=pot%2Fpot.obj');
    await page.getByText('v 0 0 3').waitFor();
  });

  test('a description and the notes of a release are Markdown, of which nothing is executed', async () => {
    const ada = await dashboard.service.member('ada');
    const notes = '## New\n\nSee *the paper*: [here](https://example.org/p) and [not](javascript:alert(1)).';
    await ada.post('/namespaces/ada/libraries/kitchen/releases', { name: 'v1', notes });
    const page = await dashboard.open('/app/ada/kitchen?tab=readme');
    await page.getByRole('listitem').getByText('Hot', { exact: true }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Cold' }).waitFor();
    await expect.poll(() => page.locator('[onclick]').count()).toBe(0);
    await page.goto('/app/ada/kitchen?tab=releases');
    await page.getByRole('heading', { name: 'New', level: 2 }).waitFor();
    await page.getByRole('emphasis').getByText('the paper').waitFor();
    await expect
      .poll(() => page.getByRole('link', { name: 'here', exact: true }).getAttribute('href'))
      .toBe('https://example.org/p');
    await expect.poll(() => page.getByRole('link', { name: 'not', exact: true }).count()).toBe(0);
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('a README that takes minutes to parse is shown as plain text, and the page stays usable', async () => {
    const page = await dashboard.open('/app/ada/garage/can');
    await page.getByRole('region', { name: 'README' }).getByText('a**_ba**_b').waitFor();
    await page.getByRole('link', { name: 'garage' }).first().click();
    await page.getByRole('heading', { name: 'garage', level: 1 }).waitFor();
  });

  test.each([
    { colorScheme: 'light', width: 320 },
    { colorScheme: 'dark', width: 1280 },
  ] as const)('the credits of a library are listed by licence: $colorScheme, $width px', async (look) => {
    const page = await dashboard.open('/app/ada/kitchen/-/credits', look);
    await page.getByRole('region', { name: 'Apache-2.0 OR CC0-1.0' }).getByText('Text of CC0-1.0').click();
    await page
      .getByText(/CC0 1\.0 Universal/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: HOSTILE }).waitFor();
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    await expect.poll(() => page.locator('a[href^=javascript]').count()).toBe(0);
    expect(await findAccessibilityProblems(page)).toEqual([]);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CREDITS.md' }).click();
    expect((await download).suggestedFilename()).toBe('CREDITS.md');
    const spdx = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as SPDX' }).click();
    expect((await spdx).suggestedFilename()).toBe('ada-kitchen.spdx.json');
    const document = JSON.parse(readFileSync(await (await spdx).path(), 'utf8'));
    expect(document).toMatchObject({ spdxVersion: 'SPDX-2.3', name: 'ada/kitchen revision 1' });
    expect(document.packages).toHaveLength(4);
  });

  test('the credits of a hidden library look like those of a missing one', async () => {
    const paths = ['/app/ada/secret/-/credits', '/app/ada/none/-/credits'];
    await expectNothingHere(await Promise.all(paths.map((path) => dashboard.open(path))));
  });
});

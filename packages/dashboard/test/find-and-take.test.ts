import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { publish, type WrittenAsset } from '../../server/test/libraries/publish.ts';
import { browserPath, useDashboard } from './dashboard.ts';
import { expectNothingHere } from './nothing-here.ts';

const CUBE = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';

const ARM: WrittenAsset = {
  id: 'ur5e',
  title: 'UR5e arm',
  description: 'Six axes, and <b>not</b> bold',
  category: 'arm',
  kind: 'mesh',
  tags: ['robot'],
  license: 'MIT',
  attribution: 'Universal Robots',
  entry: 'ur5e/arm.obj',
  files: { 'ur5e/arm.obj': CUBE, 'ur5e/README.md': '# UR5e\n<script>alert(1)</script>' },
};

const MANY: WrittenAsset[] = Array.from({ length: 250 }, (_, at) => ({
  id: `part-${String(at).padStart(3, '0')}`,
  title: `Part ${at}`,
  kind: at % 2 ? 'mesh' : 'urdf',
  license: at % 5 ? 'MIT' : 'Apache-2.0',
  files: { [`part-${at}/model.obj`]: `${CUBE}# ${at}` },
}));

describe.skipIf(browserPath === null)('browsing libraries and assets', () => {
  const dashboard = useDashboard(['olga', 'stranger'], async (service) => {
    const olga = await service.member('olga');
    await publish(olga, 'olga/robots', {
      visibility: 'public',
      library: { title: 'Robots', description: 'All our robots', license: 'Apache-2.0' },
      assets: [
        ARM,
        { id: 'hand', title: 'Robot hand', kind: 'urdf', files: { 'hand/hand.urdf': '<robot/>' } },
        {
          id: 'pendulum',
          title: 'Pendulum',
          kind: 'mjcf',
          entry: 'pendulum/pendulum.xml',
          files: { 'pendulum/pendulum.xml': '<mujoco/>' },
        },
        {
          id: 'flange',
          title: 'Flange',
          kind: 'file',

          files: { 'flange/flange.step': 'ISO-10303-21;' },
        },
      ],
    });
    await publish(olga, 'olga/parts', { visibility: 'public', library: { title: 'Parts' }, assets: MANY });
    await publish(olga, 'olga/secret', { library: { title: 'Secret' }, assets: [ARM], share: true });
    // A namespace with public content is visible, and this one has none.
    await publish(await service.member('vault'), 'vault/secret', { assets: [ARM] });
  });

  test('an asset that no viewer opens says so, has a command that works, and copies hashes', async () => {
    const page = await dashboard.open('/app/olga/robots/flange');
    await page.getByText('STEP files cannot be previewed.').waitFor();
    await page.getByRole('tab', { name: 'Python' }).click();
    await page.getByText('.folder').waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: /copy the SHA-256 of flange\/flange.step/ }).click();
    const digest = createHash('sha256').update('ISO-10303-21;').digest('hex');
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(digest);
  });

  test('typing on the front page searches all libraries, leads to an asset, and Back restores the search', async () => {
    const page = await dashboard.open('/');
    await page.waitForURL('**/app/');
    await page.getByRole('heading', { name: 'Robots' }).waitFor();
    await expect.poll(() => page.getByRole('heading', { name: 'Secret' }).count()).toBe(0);

    await page.keyboard.press('/');
    await page.keyboard.type('ur5e');
    await page.waitForURL('**/app/?q=ur5e');
    await page.getByText('1 result').waitFor();
    await page.getByRole('link', { name: 'UR5e arm' }).click();
    await page.waitForURL('**/app/olga/robots/ur5e');
    await page.goBack();
    await page.getByText('1 result').waitFor();
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Search all libraries' }).inputValue())
      .toBe('ur5e');
  });

  test('filters show how many assets they leave and are kept in the URL', async () => {
    const page = await dashboard.open('/app/olga/parts');
    await page.getByText('250 assets', { exact: true }).first().waitFor();
    await page.getByRole('checkbox', { name: 'urdf 125' }).waitFor();
    await page.getByRole('checkbox', { name: 'Apache-2.0 50' }).click();
    await page.getByText('50 assets', { exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'urdf 25' }).click();
    await page.getByText('25 assets', { exact: true }).waitFor();
    await page.waitForURL('**/parts?license=Apache-2.0&kind=urdf');
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await page.getByText('250 assets', { exact: true }).first().waitFor();
  });

  test('a long list renders few cards at a time and loads more while scrolling', async () => {
    const page = await dashboard.open('/app/olga/parts');
    await page.getByRole('link', { name: 'Part 0', exact: true }).waitFor();
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 4_000);
        return page.getByRole('link', { name: 'Part 249', exact: true }).count();
      })
      .toBe(1);
    await expect.poll(() => page.getByRole('article').count()).toBeLessThan(80);
  });

  test('the end of a long list is one key away, and so is its beginning', async () => {
    const page = await dashboard.open('/app/olga/parts');
    await page.getByRole('link', { name: 'Part 0', exact: true }).focus();
    await page.keyboard.press('End');
    await page.getByRole('link', { name: 'Part 249', exact: true }).waitFor();
    await page.keyboard.press('Tab');
    const focused = page.getByRole('article').filter({ has: page.locator(':focus') });
    expect(Number(/Part (\d+)/.exec((await focused.textContent()) ?? '')?.[1])).toBeGreaterThan(200);
    await page.keyboard.press('Home');
    await page.getByRole('link', { name: 'Part 0', exact: true }).waitFor();
  });

  test('a hit explains which word matched which fields', async () => {
    const page = await dashboard.open('/app/olga/robots?q=hand');
    await page.getByRole('button', { name: 'Why this result? Robot hand' }).click();
    await page.getByText('"hand" in title, id').waitFor();
  });

  test('a search without hits says that nothing matches', async () => {
    const page = await dashboard.open('/app/olga/robots?q=submarine');
    await page.getByRole('heading', { name: 'No results' }).waitFor();
  });

  test('an asset shows its description, attribution and README source as text, not as HTML', async () => {
    const page = await dashboard.open('/app/olga/robots/ur5e');
    await page.getByRole('heading', { name: 'UR5e arm' }).waitFor();
    await page.getByText('Six axes, and not bold').waitFor();
    expect(await page.locator('main b, main script').count()).toBe(0);
    await page.getByText('Universal Robots').waitFor();
    await page.getByRole('button', { name: 'README.md', exact: true }).click();
    const opened = page.getByRole('region', { name: 'ur5e/README.md' });
    await opened.getByRole('heading', { name: 'UR5e', exact: true }).waitFor();
    expect(await page.locator('main b, main script').count()).toBe(0);
  });

  test('a file is one tab stop, from which arrow keys go to its hash and its download', async () => {
    const page = await dashboard.open('/app/olga/robots/ur5e');
    await page.getByRole('button', { name: 'arm.obj', exact: true }).focus();
    const told = () => page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.innerText');
    await page.keyboard.press('ArrowRight');
    expect(await told()).toMatch(/copy the SHA-256 of ur5e\/arm.obj/);
    await page.keyboard.press('ArrowRight');
    expect(await told()).toBe('Download ur5e/arm.obj');
    await page.keyboard.press('Tab');
    expect(await told()).toBe('README.md');
  });

  test('the pull command of an asset is copied with one click', async () => {
    const page = await dashboard.open('/app/olga/robots/ur5e');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy: Terminal' }).click();
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'))
      .toBe(
        `export BINDERY_API_URL=${dashboard.service.url}\nbindery library pull olga/robots \\\n  --asset ur5e -o ur5e`,
      );
  });

  test('an asset downloads as one ZIP archive with its files exactly as published', async () => {
    const page = await dashboard.open('/app/olga/robots/ur5e');
    const arrived = page.waitForEvent('download');
    await page.getByRole('tab', { name: 'Download' }).click();
    await page.getByRole('button', { name: /^Download all/ }).click();
    const download = await arrived;
    expect(download.suggestedFilename()).toBe('ur5e.zip');
    const files = unzipSync(await readFile(await download.path()));
    const texts = Object.entries(files).map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]);
    expect(Object.fromEntries(texts)).toEqual(ARM.files);
  });

  test('a robot downloads in another format, or its page says why it does not', async () => {
    const page = await dashboard.open('/app/olga/robots/pendulum');
    await page.getByRole('tab', { name: 'Download' }).click();
    const arrived = page.waitForEvent('download');
    await page.getByRole('button', { name: 'MJZ' }).click();
    expect((await arrived).suggestedFilename()).toBe('pendulum.mjz');
    await page.getByText('Saved as MJZ.').waitFor();
    await page.goto('/app/olga/robots/hand');
    await page.getByRole('tab', { name: 'Download' }).click();
    await page.getByRole('button', { name: 'MJCF' }).click();
    await page.getByRole('alert').getByText('The asset cannot be converted to mjcf').waitFor();
  });

  test('a download reports a file that does not match its hash in the library', async () => {
    const page = await dashboard.open('/app/olga/robots');
    await page.route('**/storage/**', (route) => route.fulfill({ body: 'x'.repeat(CUBE.length) }));
    await page.goto('/app/olga/robots/ur5e');
    await page.getByRole('tab', { name: 'Download' }).click();
    await page.getByRole('button', { name: /^Download all/ }).click();
    await page.getByText('did not match its hash in the library').first().waitFor();
  });

  test('a share link opens a private library and its assets to a visitor without an account', async () => {
    const olga = await dashboard.service.member('olga');
    const { body } = await olga.get<{ shareToken: string }>('/namespaces/olga/libraries/secret');
    const page = await dashboard.open(`/app/olga/secret?share=${body.shareToken}`);
    await page.getByRole('heading', { name: 'Secret' }).waitFor();
    await page.getByRole('link', { name: 'UR5e arm' }).click();
    await page.getByRole('heading', { name: 'UR5e arm' }).waitFor();
    await page.getByText(`--share ${body.shareToken}`).waitFor();
  });

  test('a release or an asset that is gone leads on to its library', async () => {
    for (const gone of ['/app/olga/robots?release=gone', '/app/olga/robots/gone']) {
      const page = await dashboard.open(gone);
      await page.getByRole('heading', { name: 'Not found' }).waitFor();
      await page.getByRole('link', { name: 'Go to olga/robots' }).click();
      await page.waitForURL('**/app/olga/robots');
    }
  });

  test.each([
    ['a namespace', '/app/vault', '/app/nobody'],
    ['a library', '/app/olga/secret', '/app/olga/nothing'],
    ['an asset', '/app/olga/secret/ur5e', '/app/olga/nothing/ur5e'],
  ])('%s that is hidden looks like one that is missing', async (_what, hidden, missing) => {
    const open = (path: string) => dashboard.open(path, { userName: 'stranger' });
    await expectNothingHere(await Promise.all([hidden, missing].map(open)));
  });
});

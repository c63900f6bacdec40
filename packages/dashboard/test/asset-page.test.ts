import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publish, type WrittenAsset } from '../../server/test/libraries/publish.ts';
import { browserPath, findAccessibilityProblems, SHIFTS, useDashboard } from './dashboard.ts';
import { URDF_ARM } from './viewer/models.ts';

const run = promisify(execFile);
const CUBE = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';

const ARM: WrittenAsset = {
  id: 'arm',
  title: 'Arm',
  kind: 'urdf',
  license: 'MIT',
  entry: 'arm/arm.urdf',
  entryPoints: { bent: { kind: 'urdf', file: 'arm/bent.urdf' } },
  files: {
    'arm/arm.urdf': URDF_ARM,
    'arm/bent.urdf': URDF_ARM.replace('arm', 'bent'),
    'arm/parts/notes.txt': 'It bends at the elbow.',
    'arm/README.md': '# How to hold it\n',
  },
};

describe.skipIf(browserPath === null)('the page of an asset', () => {
  let folder = '';
  const dashboard = useDashboard(['ada'], async (service) => {
    const ada = await service.member('ada');
    const part = { id: 'part', kind: 'mesh', entry: 'part/part.obj', files: { 'part/part.obj': CUBE } };
    const missing = { total: 12, names: ['meshes/hand.stl', '<b>.stl'] };
    const simready = {
      ...{ profile: 'Robot-Body 1.0.0', passed: ['FET_001'], failed: ['<b>'] },
      tests: [{ name: 'drop_test', passed: true }],
    };
    const giant = URDF_ARM.replace('0.3 0.3 0.1', '300 300 100');
    const torso = {
      id: 'torso',
      kind: 'urdf',
      entry: 'torso/torso.urdf',
      meta: { missing, simready },
      files: { 'torso/torso.urdf': giant },
    };
    await publish(ada, 'ada/robots', { visibility: 'public', assets: [ARM, part, torso] });
    await publish(ada, 'ada/secret', { assets: [ARM], share: true });
  });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bindery-snippets-'));
    await mkdir(join(folder, 'bin'));
    const command = process.env.BINDERY_TEST_COMMAND ?? join(import.meta.dirname, '../../cli/bin/bindery.js');
    const script = `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n`;
    await writeFile(join(folder, 'bin/bindery'), script, { mode: 0o755 });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Runs what the page says to type, as somebody with this token and nothing else. */
  const type = (program: 'sh' | 'python3', text: string, cwd: string, token?: string) =>
    run(program, ['-c', text], {
      cwd,
      env: {
        PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
        HOME: folder,
        PYTHONPATH: join(import.meta.dirname, '../../../python'),
        BINDERY_NO_KEYCHAIN: '1',
        BINDERY_TOKEN: token ?? '',
      },
    });
  const shown = async (page: Page) =>
    (await page.getByRole('tabpanel').locator('pre').first().textContent()) ?? '';

  test('says above the viewer what the asset is, measures and weighs', async () => {
    const page = await dashboard.open('/app/ada/robots/arm');
    const header = page.locator('main header');
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('listitem');
    await expect
      .poll(() => header.textContent())
      .toMatch(/^ArmMITURDF.*W × D × H.* cmMass3 kgJoints1Triangles[\d,]+Download.* \(4 files\)/);
    await expect.poll(() => crumbs.last().textContent()).toBe('Arm');
  });

  test('says what its author claims of SimReady, and where a public robot plays in the browser', async () => {
    const page = await dashboard.open('/app/ada/robots/torso');
    await page
      .getByText('Robot-Body 1.0.0, 1 of 2 features passed, <b> failed, drop_test passed', { exact: true })
      .waitFor();
    await page.getByRole('tab', { name: 'Download' }).click();
    const href = await page.getByRole('link', { name: 'Play in MuJoCo Live' }).getAttribute('href');
    expect(new URL(href ?? '').searchParams.get('model')).toBe(
      `${dashboard.service.url}/raw/ada/robots/torso.mjz`,
    );
  });

  test('names what the folder of a robot lacked when it was pushed', async () => {
    const page = await dashboard.open('/app/ada/robots/torso');
    await page
      .getByText('Incomplete: 12 files that it names are missing (meshes/hand.stl, <b>.stl, …).')
      .waitFor();
    await page.goto(page.url().replace('/torso', '/part'));
    await page.locator('[data-viewer=shown]').waitFor();
    expect(await page.getByRole('note').count()).toBe(0);
  });

  test.each([
    { width: 390, height: 844, colorScheme: 'dark' },
    { width: 1280, height: 800, colorScheme: 'light' },
  ] as const)('shows its title and the viewer before anything is scrolled: $width px', async (look) => {
    const page = await dashboard.open('/app/', look);
    await page.addInitScript(SHIFTS);
    await page.goto('/app/ada/robots/arm');
    await page.locator('[data-viewer=shown]').waitFor();
    const [title, viewer] = [page.getByRole('heading', { level: 1 }), page.locator('[data-viewer]')];
    const [above, below] = [await title.boundingBox(), await viewer.boundingBox()];
    expect(above?.y).toBeLessThan(below?.y ?? 0);
    expect((below?.y ?? 0) + (below?.height ?? 0)).toBeLessThanOrEqual(look.height);
    expect(below?.y).toBeLessThanOrEqual(240);
    expect(await page.evaluate('globalThis.shifted')).toBeLessThanOrEqual(0.05);
    const scrolls = `[...document.querySelectorAll('main *')].filter((one) => one.scrollHeight > one.clientHeight + 1
      && /auto|scroll/.test(getComputedStyle(one).overflowY)).map((one) => one.className)`;
    expect(await page.evaluate(scrolls)).toEqual([]);
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('keeps the entry point in the URL, and names it in what to type, which runs', async () => {
    const page = await dashboard.open('/app/ada/robots/arm');
    await page.getByRole('combobox', { name: 'Model' }).selectOption('arm/bent.urdf');
    await page.waitForURL('**/arm?entry=arm%2Fbent.urdf');
    await page.locator('[data-viewer=shown]').waitFor();
    await page.reload();
    await page.locator('[data-viewer=shown]').waitFor();
    await expect.poll(() => page.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('arm/bent.urdf');

    await page.getByText('Opens with arm/bent.urdf').waitFor();
    const away = await mkdtemp(join(folder, 'away-'));
    await type('sh', await shown(page), away);
    expect(await readFile(join(away, 'arm/arm/bent.urdf'), 'utf8')).toContain('bent');

    await page.getByRole('tab', { name: 'Python' }).click();
    const python = await shown(page);
    const there = await mkdtemp(join(folder, 'there-'));
    const { stdout } = await type('python3', `${python}\nprint(scene.read_text())`, there);
    expect(stdout).toContain('bent');
  });

  test('says how to sign in where a library is private, and what it says to type then runs', async () => {
    const page = await dashboard.open('/app/ada/secret/arm', { userName: 'ada' });
    const login = `bindery login --api-url ${dashboard.service.url}`;
    await page.getByText(login).first().waitFor();
    const { authorization = '' } = (await dashboard.service.member('ada')).headers;
    const token = authorization.replace('Bearer ', '');
    for (const way of ['Command line', 'Python', 'Project']) {
      await page.getByRole('tab', { name: way }).click();
      const [first, second] = await page.getByRole('tabpanel').locator('pre').allTextContents();
      expect(first).toBe(login);
      const program = way === 'Python' ? 'python3' : 'sh';
      const there = await mkdtemp(join(folder, 'member-'));
      await expect(type(program, second ?? '', there)).rejects.toThrow();
      await type(program, second ?? '', there, token);
    }
  });

  test('gives the holder of a share link a command that runs without an account', async () => {
    const { body } = await (await dashboard.service.member('ada')).get<{ shareToken: string }>(
      '/namespaces/ada/libraries/secret',
    );
    const page = await dashboard.open(`/app/ada/secret/arm?share=${body.shareToken}`);
    await page.getByText('--share').waitFor();
    expect(await page.getByRole('tab').allTextContents()).toEqual(['Command line', 'Download']);
    expect(await page.getByText('bindery login').count()).toBe(0);
    const there = await mkdtemp(join(folder, 'guest-'));
    await type('sh', await shown(page), there);
    expect(await readFile(join(there, 'arm/arm/arm.urdf'), 'utf8')).toBe(URDF_ARM);
  });

  test('goes from tab to tab of the ways to get it with the arrow keys', async () => {
    const page = await dashboard.open('/app/ada/robots/arm');
    await page.getByRole('tab', { name: 'Command line' }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('tab', { name: 'Download', selected: true }).and(page.locator(':focus')).waitFor();
    await page.getByRole('button', { name: /^Download all/ }).waitFor();
  });

  test('keeps the file that is open for reading in the URL, and opens it from there, whatever loads above it', async () => {
    const page = await dashboard.open('/app/ada/robots/arm', { height: 400 });
    await page.getByText('parts/', { exact: true }).click();
    await page.getByRole('button', { name: 'notes.txt', exact: true }).click();
    await page.waitForURL('**/arm?file=arm%2Fparts%2Fnotes.txt');
    await page.getByText('It bends at the elbow.').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.reload();
    const opened = page.getByRole('region', { name: 'arm/parts/notes.txt' }).and(page.locator(':focus'));
    await page.getByText('It bends at the elbow.').waitFor();
    await page.evaluate("document.querySelector('h1').style.paddingBottom = '30rem'");
    await expect.poll(async () => (await opened.boundingBox())?.y).toBeLessThan(200);
    await page.getByRole('button', { name: 'Close arm/parts/notes.txt' }).click();
    await page.waitForURL('**/app/ada/robots/arm');
    expect(await page.getByText('It bends at the elbow.').count()).toBe(0);
  });

  test('copies a link to the view, which shows it to somebody else', async () => {
    const page = await dashboard.open('/app/ada/robots/arm?file=arm/README.md');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    // A browser draws nothing that is out of sight: the page shows the file.
    await page.getByRole('region', { name: 'arm/README.md' }).getByText('How to hold it').waitFor();
    await page.mouse.move(400, 400);
    await page.mouse.wheel(0, -5_000);
    await page.locator('[data-viewer=shown]').waitFor();
    const frame = page.frameLocator('iframe');
    await frame.getByRole('spinbutton', { name: 'elbow in degrees' }).fill('40');
    await frame.getByRole('button', { name: 'Copy link to this view' }).click();
    await page.getByText('The link to this view is copied.').waitFor();
    const link = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(link).toMatch(/\/app\/ada\/robots\/arm\?view=[\w-]{40,60}$/);
    expect(page.url()).not.toContain('view=');

    const other = await dashboard.open(link.slice(dashboard.service.url.length));
    const elbow = other.frameLocator('iframe').getByRole('slider', { name: 'elbow', exact: true });
    await expect.poll(() => elbow.getAttribute('aria-valuetext')).toBe('40°');
  });

  test('fills the screen with the viewer, and ends that again', async () => {
    const page = await dashboard.open('/app/ada/robots/arm');
    await page.locator('[data-viewer=shown]').waitFor();
    const button = page.frameLocator('iframe').getByRole('button', { name: 'Full screen' });
    await button.click();
    await expect.poll(() => page.evaluate('document.fullscreenElement?.dataset.viewer')).toBe('shown');
    await expect.poll(() => button.getAttribute('aria-pressed')).toBe('true');
    await button.click();
    await expect.poll(() => page.evaluate('document.fullscreenElement')).toBe(null);
    await expect.poll(() => button.getAttribute('aria-pressed')).toBe('false');
  });

  test('scrolls on a phone when a finger moves up over the model', async () => {
    const page = await dashboard.open('/app/ada/robots/arm', { width: 390, height: 844 });
    await page.locator('[data-viewer=shown]').waitFor();
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y?: number) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints: y === undefined ? [] : [{ x: 190, y }] });
    await touch('touchStart', 600);
    for (let y = 590; y > 350; y -= 10) await touch('touchMove', y);
    await touch('touchEnd');
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(100);
  });

  test('scrolls by wheel over a model that nobody has touched', async () => {
    const page = await dashboard.open('/app/ada/robots/arm');
    await page.locator('[data-viewer=shown]').waitFor();
    await page.mouse.move(500, 500);
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 200);
        return page.evaluate('scrollY');
      })
      .toBeGreaterThan(100);
  });
});

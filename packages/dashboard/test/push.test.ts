import { join } from 'node:path';
import type { AssetDetail, Manifest, SimilarAssets } from '@bindery/contract';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { renderThumbnail } from '../../render/src/thumbnail.ts';
import { publish } from '../../server/test/libraries/publish.ts';
import { MODEL, vectorOf } from '../../server/test/search/embeddings.ts';
import { ScriptedEncoder } from '../../server/test/search/scripted-encoder.ts';
import { browserPath, findAccessibilityProblems, useDashboard } from './dashboard.ts';
import { choose, folderWith, uploadsOf } from './folders.ts';
import { expectNothingHere } from './nothing-here.ts';

const ARM = `<mujoco model="arm"><worldbody><body name="a"><geom type="mesh" mesh="link"/></body></worldbody>
<asset><mesh name="link" file="link.obj"/></asset></mujoco>`;
const OBJ = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';
const MIT = 'MIT License\n\nCopyright (c) 2024 Ada\n';

const ROBOTS = {
  'arm/arm.xml': ARM,
  'arm/link.obj': OBJ,
  'arm/README.md': '# The arm\n\nIt reaches.\n',
  'mug/mug.obj': `${OBJ}# mug\n`,
  LICENSE: MIT,
  '.git/config': 'secret',
};

describe.skipIf(browserPath === null)('pushing a folder from the browser', () => {
  const dashboard = useDashboard(['ada', 'stranger'], async (service) => {
    const ada = await service.member('ada');
    for (const name of ['shelf', 'contested', 'seen']) {
      await publish(ada, `ada/${name}`, {
        visibility: name === 'seen' ? 'public' : 'private',
        assets: [
          { id: 'mug', title: 'Old mug', kind: 'mesh', entry: 'mug/mug.obj', files: { 'mug/mug.obj': OBJ } },
          { id: 'cup', title: 'Cup', kind: 'mesh', entry: 'cup/cup.obj', files: { 'cup/cup.obj': OBJ } },
        ],
      });
    }
  });

  test('draws thumbnails for models that have none, reports how many, and publishes them', async () => {
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    await choose(page, folderWith({ 'mug/mug.obj': OBJ, 'notes/notes.txt': 'Nothing to draw' }, 'Drawn'));
    await page.getByRole('button', { name: 'Publish library' }).click();
    await page.getByText('1 thumbnail generated.').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    const ada = await dashboard.service.member('ada');
    const { body } = await ada.get<Manifest>('/namespaces/ada/libraries/drawn/manifest');
    expect(body.generated).toContain('.bindery/thumbs/mug.webp');
    expect(body.assets.find(({ id }) => id === 'mug')?.thumbnail).toBe('.bindery/thumbs/mug.webp');
    expect(body.assets.find(({ id }) => id === 'notes')?.thumbnail).toBeUndefined();
    await page.getByRole('link', { name: 'Open library' }).click();
    const picture = page.getByRole('article').filter({ hasText: 'mug' }).locator('img');
    await expect
      .poll(() => picture.evaluate(({ naturalWidth }: HTMLImageElement) => naturalWidth))
      .toBeGreaterThan(0);
  });

  test('says in the row of an asset why it has no thumbnail, and opens the library at the end', async () => {
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    const files = { 'mug/mug.obj': OBJ, 'flat/flat.stl': 'solid nothing\nendsolid nothing\n' };
    await choose(page, folderWith(files, 'Half'));
    await page.getByRole('button', { name: 'Publish library' }).click();
    await page.getByText('1 of 2 thumbnails generated.').waitFor();
    const rows = page.getByRole('list', { name: 'Assets' }).getByRole('listitem');
    await rows.filter({ hasText: 'flat' }).getByText('No thumbnail:').waitFor();
    expect(await rows.filter({ hasText: 'mug' }).getByText('No thumbnail:').count()).toBe(0);
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'Open library' }).click();
    await page.waitForURL('**/app/ada/half');
  });

  test('draws and measures a robot as the command line does: as large, transparent around it, and nearly the same', async () => {
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    const ball =
      '<mujoco><worldbody><geom type="sphere" size="1" rgba="0.8 0.2 0.1 1"/></worldbody></mujoco>';
    await choose(page, folderWith({ 'ball/ball.xml': ball, 'mug/mug.obj': OBJ }, 'Pictured'));
    await page.getByRole('button', { name: 'Publish library' }).click();
    await page.getByText('2 thumbnails generated.').waitFor();
    const ada = await dashboard.service.member('ada');
    for (const [id, kind, entry, content] of [
      ['ball', 'mjcf', 'ball/ball.xml', ball],
      ['mug', 'mesh', 'mug/mug.obj', OBJ],
    ] as const) {
      const { body } = await ada.get<AssetDetail>(`/namespaces/ada/libraries/pictured/assets/${id}`);
      const picture = Buffer.from(await (await fetch(body.thumbnailUrl ?? '')).arrayBuffer());
      const bytes = new TextEncoder().encode(content);
      const drawn = await renderThumbnail({
        kind,
        entry,
        files: { sizes: new Map([[entry, bytes.length]]), read: async () => bytes },
      });
      if (!('webp' in drawn)) throw new Error(drawn.warning);
      const [ours, theirs] = await Promise.all([picture, drawn.webp].map(pixelsOf));
      expect(ours).toHaveLength(640 * 640 * 4);
      expect(differenceOf(ours, theirs), id).toBeLessThan(2);
      expect(body.meta.statistics, id).toEqual(drawn.statistics);
    }
  });

  test('measures models that have a picture of their own, by which others find what is similar', async () => {
    const folder = folderWith({ 'mug/mug.obj': OBJ, 'cup/cup.obj': `${OBJ}# cup` }, 'Measured');
    const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } });
    await picture.png().toFile(join(folder, 'mug/thumbnail.png'));
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    await choose(page, folder);
    await page.getByRole('button', { name: 'Publish library' }).click();
    await page.getByText('1 thumbnail generated.').waitFor();
    const ada = await dashboard.service.member('ada');
    const mug = '/namespaces/ada/libraries/measured/assets/mug';
    const { body } = await ada.get<AssetDetail>(mug);
    expect(body.thumbnailUrl).toContain('thumbnail.png');
    const { body: similar } = await ada.get<SimilarAssets>(`${mug}/similar?library=ada/measured`);
    expect(similar).toMatchObject({ comparedBy: ['shape'], hits: [{ assetId: 'cup', match: 'duplicate' }] });
  });

  test('draws no thumbnails if that is turned off', async () => {
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    await choose(page, folderWith({ 'mug/mug.obj': OBJ }, 'Undrawn'));
    await page.getByLabel('Generate thumbnails for models that have none').uncheck();
    await page.getByRole('button', { name: 'Publish library' }).click();
    await page.getByText('Published as revision 1.').waitFor();
    await expect.poll(() => page.locator('iframe').count()).toBe(0);
    await expect.poll(() => page.getByText('Looking for models').count()).toBe(0);
  });

  test('shows the plan first and uploads nothing before the user publishes, then creates the library', async () => {
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    const sent = uploadsOf(page);
    await choose(page, folderWith({ ...ROBOTS }, 'My Robots'));
    const plan = page.getByRole('region', { name: 'Review changes' });
    await plan.getByText('2 added').waitFor();
    await expect.poll(() => page.getByLabel('Name of the library').inputValue()).toBe('my-robots');
    const arm = plan.getByRole('listitem').filter({ hasText: 'mjcf' });
    await arm.getByText('arm/arm.xml').waitFor();
    await plan.getByText(/left out/).click();
    await plan.getByText('.git (hidden)').waitFor();
    expect(sent).toEqual([]);
    expect(await findAccessibilityProblems(page)).toEqual([]);

    await page.getByRole('button', { name: 'Publish library' }).click();
    await page.getByText('Published as revision 1.').waitFor();
    await page.getByRole('link', { name: 'Open library' }).click();
    await page.waitForURL('**/app/ada/my-robots');
    const ada = await dashboard.service.member('ada');
    const { body } = await ada.get('/namespaces/ada/libraries/my-robots');
    expect(body).toMatchObject({ assetCount: 2, revision: 1, visibility: 'private' });
  });

  test('updates part of a library, and removes other assets only if told to', async () => {
    const page = await dashboard.open('/app/ada/shelf/-/push', { userName: 'ada' });
    await choose(page, folderWith({ 'mug.obj': `${OBJ}# new\n`, 'README.md': '# New mug\n' }, 'mug'));
    const plan = page.getByRole('region', { name: 'Review changes' });
    await plan.getByText('1 changed').waitFor();
    await plan.getByText('0 removed').waitFor();
    await page.getByRole('radio', { name: /^The whole library/ }).check();
    await plan.getByText(/[12] removed/).waitFor();
    await plan.getByRole('heading', { name: 'cup' }).waitFor();
    await page.getByRole('radio', { name: /^Part of the library/ }).check();
    await plan.getByText('0 removed').waitFor();
    await page.getByRole('button', { name: 'Publish changes' }).click();
    await page.getByText('Published as revision 2.').waitFor();
    const ada = await dashboard.service.member('ada');
    const { body } = await ada.get<Manifest>('/namespaces/ada/libraries/shelf/manifest');
    expect(body.assets.map(({ id }) => id)).toEqual(['cup', 'mug']);
  });

  test('keeps what others wrote about an asset, and asks before it removes a licence', async () => {
    const ada = await dashboard.service.member('ada');
    const written = { id: 'mug', title: 'Old mug', files: { 'mug/mug.obj': OBJ } };
    const manifest = async () =>
      (await ada.get<Manifest>('/namespaces/ada/libraries/written/manifest')).body.assets[0];
    await publish(ada, 'ada/written', { assets: [{ ...written, license: 'MIT', meta: { mass: 1 } }] });
    const page = await dashboard.open('/app/ada/written/-/push', { userName: 'ada' });
    await choose(page, folderWith({ 'mug/mug.obj': `${OBJ}# new\n` }, 'written'));
    await page.getByText('1 changed').waitFor();
    await page.getByRole('button', { name: 'Publish changes' }).click();
    await page.getByText('Published as revision 2.').waitFor();
    expect(await manifest()).toMatchObject({ title: 'Old mug', license: 'MIT', meta: { mass: 1 } });

    await page.goto(`${dashboard.service.url}/app/ada/written/-/push`);
    const yaml = 'assets: { mug: { title: A mug, license: null } }\n';
    await choose(page, folderWith({ 'mug/mug.obj': OBJ, 'bindery.yml': yaml }, 'written'));
    await page.getByText('mug loses its license').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Publish changes' }).click();
    const question = page.getByRole('dialog', { name: 'Remove what the plan lists?' });
    await question.getByRole('button', { name: 'Publish changes' }).click();
    await page.getByText('Published as revision 3.').waitFor();
    expect(await manifest()).toMatchObject({ title: 'A mug', license: null, meta: { mass: 1 } });
  });

  test('reports that somebody else published in the meantime, and overwrites nothing', async () => {
    const page = await dashboard.open('/app/ada/contested/-/push', { userName: 'ada' });
    await choose(page, folderWith({ 'bowl.obj': OBJ }, 'bowl'));
    await page.getByText('1 added').waitFor();
    const ada = await dashboard.service.member('ada');
    await publish(ada, 'ada/contested', {
      assets: [{ id: 'plate', files: { 'plate/plate.obj': OBJ } }],
    });
    await page.getByRole('button', { name: 'Publish changes' }).click();
    await page.getByText(/^Somebody else published in the meantime/).waitFor();
    const before = await ada.get('/namespaces/ada/libraries/contested');
    expect(before.body.revision).toBe(2);
    expect(await findAccessibilityProblems(page)).toEqual([]);

    await page.getByRole('button', { name: 'Review again' }).click();
    await page.getByText('1 added').waitFor();
    await page.getByRole('button', { name: 'Publish changes' }).click();
    await page.getByText('Published as revision 3.').waitFor();
    const { body } = await ada.get<Manifest>('/namespaces/ada/libraries/contested/manifest');
    expect(body.assets.map(({ id }) => id)).toEqual(['bowl', 'plate']);
  });

  test('resumes after a network failure and uploads nothing twice', async () => {
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    await choose(page, folderWith(largeFiles(8), 'heavy'));
    await page.getByText('8 added').waitFor();
    const sent = uploadsOf(page);
    let through = 0;
    await page
      .context()
      .route('**/storage/**', (route) =>
        route.request().method() === 'PUT' && ++through > 3
          ? route.abort('connectionreset')
          : route.continue(),
      );
    await page.getByRole('button', { name: 'Publish library' }).click();
    await page.getByText(/^The service cannot be reached\. What has arrived is kept/).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.context().unroute('**/storage/**');
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await page.getByText('Published as revision 1.').waitFor();
    // The eight files and the manifest.
    expect(sent.filter(({ arrived }) => arrived)).toHaveLength(9);
  });

  test('resumes after a reload of the page and uploads nothing twice', async () => {
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    const folder = folderWith(largeFiles(6), 'reloaded');
    await choose(page, folder);
    await page.getByText('6 added').waitFor();
    const sent = uploadsOf(page);
    let through = 0;
    await page
      .context()
      .route('**/storage/**', (route) =>
        route.request().method() === 'PUT' && ++through > 3 ? new Promise(() => {}) : route.continue(),
      );
    await page.getByRole('button', { name: 'Publish library' }).click();
    await expect.poll(() => sent.filter(({ arrived }) => arrived).length).toBe(3);
    page.once('dialog', (dialog) => dialog.accept());
    await page.reload();
    await page.context().unroute('**/storage/**');
    await choose(page, folder);
    await page.getByRole('button', { name: 'Publish library' }).click();
    await page.getByText('Published as revision 1.').waitFor();
    expect(sent.filter(({ arrived }) => arrived)).toHaveLength(7);
  });

  test('can be cancelled and started again', async () => {
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    await choose(page, folderWith(largeFiles(2), 'cancelled'));
    await page.getByText('2 added').waitFor();
    await page.context().route('**/storage/**', () => new Promise(() => {}));
    await page.getByRole('button', { name: 'Publish library' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.context().unroute('**/storage/**');
    await page.getByRole('button', { name: 'Publish library' }).click();
    await page.getByText('Published as revision 1.').waitFor();
  });

  test('gets a new token if the first one is no longer valid', async () => {
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    await choose(page, folderWith({ 'bowl.obj': OBJ }, 'renewed'));
    await page.getByText('1 added').waitFor();
    let refused = 0;
    await page
      .context()
      .route('**/upload-authorizations', (route) =>
        refused++ === 0
          ? route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer stale' } })
          : route.continue(),
      );
    await page.getByRole('button', { name: 'Publish library' }).click();
    await page.getByText('Published as revision 1.').waitFor();
    expect(refused).toBeGreaterThan(1);
  });

  test('shows hostile names and texts as plain text, and runs none of them', async () => {
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    const script = '<img src=x onerror=alert(1)>';
    await choose(
      page,
      folderWith({ [`${script}/model.obj`]: OBJ, [`${script}/README.md`]: `# ${script}\n` }, '"><b>bold'),
    );
    await page.getByText(`${script}/model.obj`, { exact: true }).waitFor();
    await expect.poll(() => page.locator('main img, main b').count()).toBe(0);
  });

  test('reports what is wrong with the chosen folder', async () => {
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    await choose(
      page,
      folderWith(
        { 'a/bindery.yml': 'x', 'bindery.yml': 'assets: {none: {title: x}}', 'b/b.obj': OBJ },
        'wrong',
      ),
    );
    await page.getByText(/no folder or file yields an asset "none"/).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('starts when a folder is dropped on the page of a library', async () => {
    const page = await dashboard.open('/app/ada/shelf', { userName: 'ada' });
    await page.getByRole('link', { name: 'Push a folder' }).waitFor();
    await dropOn(page, folderWith({ 'jug.obj': OBJ }, 'jug'));
    await page.waitForURL('**/app/ada/shelf/-/push');
    await page.getByText('1 added').waitFor();
  });

  test('is hidden from non-members: its page looks like that of a missing library', async () => {
    const paths = ['/app/ada/seen/-/push', '/app/ada/none/-/push', '/app/ada/shelf/-/push'];
    const open = (path: string) => dashboard.open(path, { userName: 'stranger' });
    await expectNothingHere(await Promise.all(paths.map(open)));
  });

  test.each([
    { colorScheme: 'light', width: 320 },
    { colorScheme: 'dark', width: 320 },
    { colorScheme: 'dark', width: 1280 },
  ] as const)('passes accessibility checks: $colorScheme, $width px', async (look) => {
    const page = await dashboard.open('/app/-/new', { ...look, userName: 'ada' });
    await page.getByRole('button', { name: 'Choose a folder' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await choose(page, folderWith(ROBOTS, 'my-robots'));
    await page.getByText(/unchanged/).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });
});

/** Returns files that are an asset each, and too large for a bundle. */
function largeFiles(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `part-${at}/part-${at}.obj`,
      `${OBJ}# ${String(at).repeat(300 * 1024)}\n`,
    ]),
  );
}

/** Drops a folder from disk onto the page, as a user would. */
async function dropOn(page: Page, folder: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [folder], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 400, y: 400, data });
  }
}

describe.skipIf(browserPath === null)('pushing from the browser to a service with a model', () => {
  const encoder = new ScriptedEncoder();
  encoder.vectors.set('mug', vectorOf(0.2)).set('something to drink from', vectorOf(0.9));
  const dashboard = useDashboard(['ada'], async () => {}, undefined, encoder);

  test('has titles and descriptions encoded, so that the library is found by meaning', async () => {
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    const yaml = 'assets: { mug: { title: mug } }\n';
    await choose(page, folderWith({ 'mug/mug.obj': OBJ, 'bindery.yml': yaml }, 'Meant'));
    await page.getByRole('button', { name: 'Publish library' }).click();
    await page.getByText('1 thumbnail generated.').waitFor();
    const ada = await dashboard.service.member('ada');
    const { body } = await ada.get<Manifest>('/namespaces/ada/libraries/meant/manifest');
    expect(body.generated).toContain('.bindery/vectors.json');
    const found = await ada.get<{ hits: { assetId: string }[]; semantic: boolean }>(
      `/namespaces/ada/libraries/meant/search?q=${encodeURIComponent('something to drink from')}`,
    );
    expect(found.body).toMatchObject({ semantic: true, hits: [{ assetId: 'mug' }] });
    expect(encoder.model).toBe(MODEL);
  });
});

async function pixelsOf(webp: Uint8Array): Promise<Buffer> {
  return sharp(webp).ensureAlpha().raw().toBuffer();
}

/** The average difference of two pictures' channels, of 255. */
function differenceOf(one: Buffer = Buffer.alloc(0), other: Buffer = Buffer.alloc(0)): number {
  return one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length;
}

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DESCRIPTOR_BYTES } from '@bindery/contract';
import type { Locator } from 'playwright-core';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { writeSampleLibrary } from '../../../scripts/sample-library/write.ts';
import { createTerminalUser } from '../../cli/test/command-line.ts';
import { publish } from '../../server/test/libraries/publish.ts';
import { browserPath, findAccessibilityProblems, useDashboard } from './dashboard.ts';

/** A box twice as wide as high, with the given height. */
function box(height: number): string {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map(
    (at) => `v ${(at & 1) * 2 * height} ${((at >> 1) & 1) * height} ${(at >> 2) * height}`,
  );
  const faces = ['1 2 4 3', '5 7 8 6', '1 5 6 2', '3 4 8 7', '1 3 7 5', '2 6 8 4'];
  return [...corners, ...faces.map((face) => `f ${face}`)].join('\n');
}

/** A picture of 900 × 400 pixels, which no browser shows. */
function tga(rgb: Buffer): Buffer {
  const head = Buffer.from([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 24, 32]);
  head.writeUInt16LE(900, 12);
  head.writeUInt16LE(400, 14);
  return Buffer.concat([head, Buffer.from(rgb.map((_, at) => rgb[at + 2 - 2 * (at % 3)] as number))]);
}

const isFocused = (element: Element) => element === document.activeElement;

describe.skipIf(browserPath === null)('what is similar', () => {
  const dashboard = useDashboard(['ada'], async (service) => {
    const ada = await service.member('ada');
    const folder = await mkdtemp(join(tmpdir(), 'bindery-similar-'));
    await writeSampleLibrary(folder);
    for (const [name, height] of [
      ['brick', 0.1],
      ['block', 3],
    ] as const) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, `${name}.obj`), box(height));
    }
    const person = await createTerminalUser(service.url);
    const token = ada.headers.authorization?.replace('Bearer ', '') ?? '';
    const words = ['library', 'push', folder, 'ada/workshop', '--thumbnails', '--visibility', 'public'];
    expect(await person.with({ BINDERY_TOKEN: token }).run(...words)).toMatchObject({ code: 0 });
    await person.dispose();
    await rm(folder, { recursive: true });
    const { body } = await ada.get<{ meta: { statistics: { descriptor: string } } }>(
      '/namespaces/ada/libraries/workshop/assets/brick',
    );
    const [version, brick = ''] = body.meta.statistics.descriptor.split(':');
    const described = (bytes: Uint8Array) => `${version}:${Buffer.from(bytes).toString('base64')}`;
    const statistics = {
      descriptor: described(new Uint8Array(DESCRIPTOR_BYTES.model)),
      hands: [
        { name: 'tool', shape: described(Buffer.from(brick, 'base64').subarray(0, DESCRIPTOR_BYTES.hand)) },
      ],
    };
    await publish(ada, 'ada/undrawn', {
      visibility: 'public',
      assets: [
        { id: 'holder', kind: 'urdf', files: { 'holder.urdf': '' }, meta: { statistics } },
        { id: 'box', kind: 'mesh', entry: 'box.obj', files: { 'box.obj': box(7) } },
      ],
    });
  });

  test('is below an asset, with how it is', async () => {
    const page = await dashboard.open('/app/ada/workshop/brick');
    const similar = page.getByRole('region', { name: 'More like this' });
    const first = similar.getByRole('article').first();
    await first.getByText('Same model').waitFor();
    await similar.getByRole('article').filter({ hasText: 'holder' }).getByText('Similar hand').waitFor();
    await first.getByRole('link', { name: 'block', exact: true }).click();
    await page.waitForURL('**/app/ada/workshop/block');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('cannot be said of an asset without a descriptor', async () => {
    const page = await dashboard.open('/app/ada/undrawn/box');
    const similar = page.getByRole('region', { name: 'More like this' });
    await similar.getByText('No similar assets yet.').waitFor();
  });

  test('is found by a model of somebody’s own, of which nothing is sent but its descriptor', async () => {
    const page = await dashboard.open('/app/');
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.postData() ?? ''));
    const model = { name: 'mine.obj', mimeType: 'model/obj', buffer: Buffer.from(box(20)) };
    await page.getByLabel('By picture or model').setInputFiles(model);
    const found = page.getByRole('region', { name: 'Like mine.obj' });
    const first = found.getByRole('article').first();
    await first.getByText('Same model').waitFor();
    expect(await first.getByRole('heading').textContent()).toMatch(/^(brick|block)$/);
    expect(sent.join()).toMatch(/"model":"[^"]+"/);
    for (const body of sent) expect(body.length).toBeLessThan(1_000);
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await found.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => found.count()).toBe(0);
  });

  test('is found by a picture that is dropped on the page', async () => {
    const page = await dashboard.open('/app/');
    const { body } = await dashboard.service.anonymous.get<{ thumbnailUrl: string }>(
      '/namespaces/ada/libraries/workshop/assets/traffic-cone',
    );
    const picture = Buffer.from(await (await fetch(body.thumbnailUrl)).arrayBuffer()).toString('base64');
    await page.getByRole('heading', { level: 1 }).evaluate((heading, base64) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], 'cone.webp', { type: 'image/webp' }));
      heading.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }, picture);
    const found = page.getByRole('region', { name: 'Like cone.webp' });
    await found.getByRole('article').first().getByRole('heading', { name: 'Traffic cone' }).waitFor();
  });

  test('is found by one thing of several in a picture, around which somebody draws a box or moves it there by keys', async () => {
    const page = await dashboard.open('/app/');
    const { body } = await dashboard.service.anonymous.get<{ thumbnailUrl: string }>(
      '/namespaces/ada/libraries/workshop/assets/traffic-cone',
    );
    const cone = await sharp(Buffer.from(await (await fetch(body.thumbnailUrl)).arrayBuffer()))
      .resize(300, 300)
      .toBuffer();
    const table = { width: 300, height: 220, channels: 3 as const, background: '#2244bb' };
    const photo = sharp({
      create: { width: 900, height: 400, channels: 3, background: '#d8d4cc' },
    }).composite([
      { input: await sharp({ create: table }).png().toBuffer(), left: 40, top: 90 },
      { input: cone, left: 560, top: 50 },
    ]);
    const picker = page.getByLabel('By picture or model');
    // Cameras save pictures as they were held.
    const lying = sharp(await photo.clone().png().toBuffer())
      .rotate(-90)
      .withMetadata({ orientation: 6 });
    const jpeg = await lying.jpeg().toBuffer();
    await picker.setInputFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: jpeg });
    const found = page.getByRole('region', { name: 'Like photo.' });
    const first = found.getByRole('article').first().getByRole('heading');
    const firstIsCone = found.getByRole('article').first().getByRole('heading', { name: 'Traffic cone' });
    await first.waitFor();
    expect(await first.textContent()).not.toBe('Traffic cone');
    /** Whether places of the picture were not taken for the thing. */
    const areDimmed = (...places: (readonly [x: number, y: number])[]) =>
      found.locator('canvas[aria-hidden]').evaluate((veil: HTMLCanvasElement, places) => {
        const { width, height } = veil;
        const pixels = veil.getContext('2d')?.getImageData(0, 0, width, height).data;
        const at = ([x, y]: readonly [number, number]) =>
          Math.floor((y / 400) * height) * width + Math.floor((x / 900) * width);
        return places.map((place) => pixels?.[at(place) * 4 + 3] === 255);
      }, places);
    expect(await areDimmed([190, 200], [450, 380])).toEqual([false, true]);
    const picture = await found.getByRole('img', { name: 'The picture that is searched by' }).boundingBox();
    if (picture === null) throw new Error('There is no picture.');
    const draw = async () => {
      for (const [step, [x, y]] of [[570, 60] as const, [700, 200] as const, [850, 345] as const].entries()) {
        await page.mouse.move(picture.x + (x / 900) * picture.width, picture.y + (y / 400) * picture.height);
        if (step === 0) await page.mouse.down();
      }
    };
    const box = found.getByRole('button', { name: 'Box around the thing' });
    await draw();
    await box.waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.up();
    expect([await box.count(), await found.locator('[aria-busy=true]').count()]).toEqual([0, 0]);
    await draw();
    await page.mouse.up();
    await found.locator('[aria-busy=true]').getByRole('article').first().waitFor();
    await firstIsCone.waitFor();
    expect(await areDimmed([190, 200], [710, 200])).toEqual([true, false]);
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await box.press('Escape');
    expect(await box.count()).toBe(0);
    expect(await found.getByRole('button', { name: 'Add a box' }).evaluate(isFocused)).toBe(true);

    await picker.setInputFiles({
      name: 'photo.tga',
      mimeType: '',
      buffer: tga(await photo.removeAlpha().raw().toBuffer()),
    });
    await page.getByRole('heading', { name: 'Like photo.tga' }).waitFor();
    await first.waitFor();
    expect(await first.textContent()).not.toBe('Traffic cone');
    await found.getByRole('button', { name: 'Add a box' }).click();
    const hold = async (handle: Locator, key: string, times: number) => {
      await handle.focus();
      for (let time = 0; time < times; time++) await page.keyboard.down(key);
    };
    const middle = await box.boundingBox();
    await hold(box, 'ArrowRight', 12);
    expect(await box.boundingBox()).not.toEqual(middle);
    await page.keyboard.press('Escape');
    expect(await box.boundingBox()).toEqual(middle);
    for (const [handle, key, times] of [
      [box, 'ArrowRight', 12],
      [box, 'ArrowUp', 10],
      [found.getByRole('button', { name: 'Corner of the box' }), 'ArrowDown', 20],
    ] as const) {
      await hold(handle, key, times);
      await page.keyboard.up(key);
    }
    await firstIsCone.waitFor();
  });

  test('is not searched for by a file that is neither a picture nor a model', async () => {
    const page = await dashboard.open('/app/');
    const picker = page.getByLabel('By picture or model');
    await picker.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
    await page
      .getByText('This cannot be searched for: it is neither a picture nor a model that can be read here.')
      .waitFor();
    await picker.setInputFiles({ name: 'broken.stl', mimeType: 'model/stl', buffer: Buffer.from('x') });
    await page.getByRole('region', { name: 'Like broken.stl' }).getByText('This cannot be').waitFor();
  });
});

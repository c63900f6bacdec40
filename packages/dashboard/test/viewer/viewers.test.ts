import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { usdArchive } from '../../../../test/usd-crate.ts';
import { pictures } from '../../../render/test/models/textures.ts';
import { previewSurface, square, USD_ARM } from '../../../render/test/models/usd.ts';
import { ViewerTab } from './host.ts';
import {
  boxGlb,
  glb,
  MARKDOWN,
  MJCF_ARM,
  OBJ_BOX,
  pixelPng,
  SPLATS,
  splatWall,
  triangleGltf,
  URDF_ARM,
} from './models.ts';

let tab: ViewerTab;

beforeAll(async () => {
  tab = await ViewerTab.launch();
});

afterAll(async () => {
  await tab?.close();
});

describe('the viewer shows', () => {
  test('an MJCF model with its joints, keyframes and simulation', async () => {
    const opened = await tab.openFiles('mjcf', 'arm.xml', { 'arm.xml': MJCF_ARM });
    expect(opened).toMatchObject({ status: 'shown', statistics: { bodies: 2, joints: 2, up: 'z' } });
    const slider = tab.frame.getByRole('slider', { name: 'shoulder' });
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('45°');
    await tab.frame.getByRole('button', { name: 'Play' }).click();
    await expect.poll(() => slider.getAttribute('aria-valuetext')).not.toBe('45°');
    await tab.frame.getByRole('button', { name: 'Pause' }).click();
    await tab.frame.getByRole('button', { name: 'Reset' }).click();
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('45°');
    expect(tab.complaints).toEqual([]);
  });

  test('an MJCF model as large as it is, however its parts are turned', async () => {
    const turned = '<mujoco><worldbody><geom type="sphere" size="1" euler="30 40 50"/></worldbody></mujoco>';
    const opened = await tab.openFiles('mjcf', 'ball.xml', { 'ball.xml': turned });
    const { size } = opened.status === 'shown' ? opened.statistics : {};
    for (const side of size ?? [0]) expect(side).toBeCloseTo(2, 1);
  });

  test('a URDF robot whose joints move by keyboard, within their limits', async () => {
    const opened = await tab.openFiles('urdf', 'arm.urdf', { 'arm.urdf': URDF_ARM });
    expect(opened).toMatchObject({ status: 'shown', statistics: { bodies: 3, joints: 1, mass: 3 } });
    const before = await tab.page.screenshot();
    const slider = tab.frame.getByRole('slider', { name: 'elbow' });
    await slider.focus();
    await tab.page.keyboard.press('End');
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('57°');
    await expect.poll(async () => (await tab.page.screenshot()).equals(before)).toBe(false);
    expect(tab.complaints).toEqual([]);
  });

  test('a robot in USD with its joints, bodies and collision shapes, in metres', async () => {
    const opened = await tab.openFiles('mesh', 'arm.usda', { 'arm.usda': USD_ARM });
    expect(opened).toMatchObject({
      status: 'shown',
      statistics: { bodies: 3, joints: 2, mass: 3, unit: 'm' },
    });
    const slider = tab.frame.getByRole('slider', { name: 'shoulder' });
    await slider.focus();
    await tab.page.keyboard.press('End');
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('45°');
    const before = await tab.page.screenshot();
    await tab.frame.getByRole('button', { name: 'Collision shapes' }).click();
    await expect.poll(async () => (await tab.page.screenshot()).equals(before)).toBe(false);
    expect(tab.complaints).toEqual([]);
  });

  test('a USD package with its textures, in the variant that is chosen', async () => {
    const scene = `#usda 1.0
      def Xform "sign" (variants = { string size = "small" }; prepend variantSets = "size") {
        variantSet "size" = {
          "small" { ${square('s', 'rel material:binding = </sign/paint>', 100)}\n}
          "large" { ${square('s', '', 400)}\n}
        }
        ${previewSurface('paint', 'color3f inputs:diffuseColor.connect = </sign/paint/t.outputs:rgb>', 'def Shader "t" { uniform token info:id = "UsdUVTexture"; asset inputs:file = @paint.png@; float3 outputs:rgb; }', 'sign')}
      }`;
    const archive = usdArchive({ 'sign.usda': scene, 'paint.png': pixelPng(200, 60, 30, 255) });
    const opened = await tab.openFiles('mesh', 'sign.usdz', { 'sign.usdz': archive });
    expect(opened).toMatchObject({
      status: 'shown',
      statistics: { size: [1, 0, 1], unit: 'm' },
      omitted: [],
    });
    await tab.unfold();
    const before = await tab.page.screenshot();
    await tab.frame.getByRole('combobox', { name: 'size' }).selectOption('large');
    await expect.poll(async () => (await tab.page.screenshot()).equals(before)).toBe(false);
    expect(tab.complaints).toEqual([]);
  });

  test('USD that moves as it begins, and says that it stands still', async () => {
    const scene = `#usda 1.0
      def Xform "gear" (kind = "component") {
        double xformOp:rotateY.timeSamples = { 0: 0, 24: 180 }
        uniform token[] xformOpOrder = ["xformOp:rotateY"]
        ${square('tooth', '', 100)}
      }`;
    expect(await tab.openFiles('mesh', 'gear.usda', { 'gear.usda': scene })).toMatchObject({
      status: 'shown',
      omitted: ['Animation (it stands still in this view)'],
    });
  });

  test('a picture that browsers do not decode', async () => {
    const opened = await tab.openFiles('image', 'paint.ktx2', {
      'paint.ktx2': pictures()['etc1s.ktx2'] ?? '',
    });
    expect(opened).toMatchObject({ status: 'shown', statistics: { pixels: [24, 20] } });
    expect(tab.complaints).toEqual([]);
  });

  test('the collision shapes of a URDF, without reporting that it is loading again', async () => {
    const robot = `<robot name="arm"><link name="base">
      <visual><geometry><box size="1 1 1"/></geometry></visual>
      <collision><geometry><mesh filename="hull.obj"/></geometry></collision></link></robot>`;
    await tab.openFiles('urdf', 'arm.urdf', { 'arm.urdf': robot, 'hull.obj': OBJ_BOX });
    const before = await tab.page.screenshot();
    await tab.frame.getByRole('button', { name: 'Collision shapes' }).click();
    await expect.poll(async () => (await tab.page.screenshot()).equals(before)).toBe(false);
    const states = await tab.page.evaluate<{ status: string }[]>('globalThis.states');
    expect(states.at(-1)?.status).toBe('shown');
  });

  test('a GLB', async () => {
    const opened = await tab.openFiles('mesh', 'box.glb', { 'box.glb': boxGlb() });
    expect(opened).toMatchObject({ status: 'shown', statistics: { triangles: 1, up: 'y' }, omitted: [] });
  });

  test('a model no sooner than its first frame is drawn', async () => {
    await tab.page.addInitScript(`
      globalThis.drawnTriangles = 0;
      const { drawArrays } = WebGL2RenderingContext.prototype;
      WebGL2RenderingContext.prototype.drawArrays = function (mode, ...rest) {
        if (mode === this.TRIANGLES) globalThis.drawnTriangles++;
        return drawArrays.call(this, mode, ...rest);
      };`);
    await tab.openFiles('mesh', 'box.glb', { 'box.glb': boxGlb() });
    expect(await tab.page.frames()[1]?.evaluate('drawnTriangles')).toBeGreaterThan(0);
  });

  test('a GLB that names no scene, with all of its nodes', async () => {
    const { json, binary } = triangleGltf();
    const nodes = [{ children: [1] }, { mesh: 0 }, { mesh: 0 }];
    const opened = await tab.openFiles('mesh', 'box.glb', {
      'box.glb': glb({ ...json, scene: undefined, scenes: undefined, nodes }, binary),
    });
    expect(opened).toMatchObject({ status: 'shown', statistics: { triangles: 2 } });
    expect(tab.complaints).toEqual([]);
  });

  test('the colours of a fully transparent texture if the model does not use its alpha', async () => {
    const show = async (texture: Uint8Array) => {
      const files = {
        'box.obj': OBJ_BOX,
        'box.mtl': 'newmtl red\nKd 1 1 1\nmap_Kd skin.png\n',
        'skin.png': texture,
      };
      expect(await tab.openFiles('mesh', 'box.obj', files)).toMatchObject({ status: 'shown', omitted: [] });
    };
    let picture: Buffer = Buffer.alloc(0);
    const stays = async () => {
      const before = picture;
      picture = await tab.page.screenshot();
      return picture.equals(before);
    };
    await show(pixelPng(0, 0, 0, 255));
    await expect.poll(stays).toBe(true);
    const black = picture;
    await show(pixelPng(200, 40, 0, 255));
    await expect.poll(async () => (await stays()) && !picture.equals(black)).toBe(true);
    const opaque = picture;
    await show(pixelPng(200, 40, 0, 0));
    await expect.poll(async () => (await tab.page.screenshot()).equals(opaque)).toBe(true);
  });

  test('an OBJ, and which of its textures are missing', async () => {
    const files = { 'box.obj': OBJ_BOX, 'box.mtl': 'newmtl red\nKd 1 0 0\nmap_Kd gone.png\n' };
    const opened = await tab.openFiles('mesh', 'box.obj', files);
    expect(opened).toMatchObject({
      status: 'shown',
      statistics: { triangles: 2 },
      omitted: ['1 of 1 textures (gone.png: no such file)'],
    });
  });

  test('splats', async () => {
    const opened = await tab.openFiles('splat', 'some.splat', { 'some.splat': SPLATS });
    expect(opened).toMatchObject({ status: 'shown', statistics: { splats: 64 } });
  });

  test('many splats, all of them in a saved picture, although the first coarse frame shows only some', async () => {
    // The splats of the coarse first picture are green.
    const wall = splatWall(24_000, (at) => (at % 12 === 0 ? [0, 255, 0] : [255, 0, 0]));
    const opened = await tab.openFiles('splat', 'wall.splat', { 'wall.splat': wall });
    expect(opened).toMatchObject({ status: 'shown', statistics: { splats: 24_000 } });
    const { channels } = await sharp(await tab.takePicture()).stats();
    const [red, green] = channels.map(({ mean }) => mean);
    expect(red).toBeGreaterThan(3 * (green ?? 0));
  });

  test('formatted Markdown without its scripts, images, frames and links', async () => {
    await tab.openFiles('file', 'README.md', { 'README.md': MARKDOWN });
    await expect.poll(() => tab.frame.getByRole('heading', { name: 'A robot' }).isVisible()).toBe(true);
    await expect
      .poll(() => tab.frame.locator('main').locator('script, img, iframe, a[href]').count())
      .toBe(0);
  });

  test('other text unchanged', async () => {
    await tab.openFiles('file', 'a.yaml', { 'a.yaml': 'a: <b>1</b>\n' });
    await expect.poll(() => tab.frame.locator('pre').textContent()).toBe('a: <b>1</b>\n');
  });
});

describe('the viewer refuses', () => {
  test('a format that it has no viewer for, and offers to show the files', async () => {
    const opened = await tab.openFiles('mesh', 'a.max', { 'a.max': 'x' });
    expect(opened).toMatchObject({ status: 'refused', canLoadAnyway: false });
    await expect.poll(() => tab.frame.getByRole('alert').textContent()).toContain('no viewer for a.max');
    await tab.frame.getByRole('button', { name: 'Show the files' }).click();
    await expect.poll(() => tab.page.evaluate('filesWanted')).toBe(1);
  });

  test("a model that MuJoCo cannot compile, with MuJoCo's message", async () => {
    const opened = await tab.openFiles('mjcf', 'a.xml', {
      'a.xml': '<mujoco><worldbody><ghost/></worldbody></mujoco>',
    });
    expect(opened).toMatchObject({ status: 'refused', reason: expect.stringContaining('ghost') });
  });

  test('a model that lacks a mesh, with the name of that alone', async () => {
    await tab.openFiles('mjcf', 'a.xml', {
      'a.xml':
        '<mujoco><asset><mesh name="a" file="meshes/gone.stl"/></asset><worldbody><geom type="mesh" mesh="a"/></worldbody></mujoco>',
    });
    await expect
      .poll(() => tab.frame.getByRole('alert').getByRole('paragraph').textContent())
      .toBe('It needs meshes/gone.stl, which is not among its files.');
  });

  test('a file that is too large, until the user chooses to load it anyway', async () => {
    const text = 'x'.repeat(3 * 2 ** 20);
    const opened = await tab.openFiles('file', 'a.txt', { 'a.txt': text });
    expect(opened).toMatchObject({ status: 'refused', canLoadAnyway: true });
    await tab.frame.getByRole('button', { name: 'Load anyway' }).click();
    await expect.poll(() => tab.frame.locator('pre').count()).toBe(1);
  });
});

test('the viewer hands a saved picture to the page', async () => {
  await tab.openFiles('mesh', 'box.glb', { 'box.glb': boxGlb() });
  await tab.frame.getByRole('button', { name: 'Save picture' }).click();
  await expect.poll(() => tab.page.evaluate('pictures[0]?.length > 1000')).toBe(true);
});

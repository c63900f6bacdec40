import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { decodeView } from '../../src/viewer/view.ts';
import { ViewerTab } from './host.ts';
import { boxGlb, glb, MJCF_ARM, movingGltf, OBJ_BOX, pixelPng, triangleGltf, URDF_ARM } from './models.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let tab: ViewerTab;

beforeAll(async () => {
  tab = await ViewerTab.launch();
});
beforeEach(async () => {
  tab.complaints.length = 0;
  await tab.page.mouse.up();
  await tab.page.keyboard.up('Control');
});
afterAll(async () => {
  await tab?.close();
});

const button = (name: string) => tab.frame.getByRole('button', { name });
const slider = (name: string) => tab.frame.getByRole('slider', { name, exact: true });
const textOf = (name: string) => slider(name).getAttribute('aria-valuetext');
const focused = () => tab.frame.locator(':focus');

/** Returns the picture of the page once it no longer changes. */
async function still(): Promise<Buffer> {
  let before = await tab.page.screenshot();
  await expect
    .poll(async () => {
      const now = await tab.page.screenshot();
      const isSame = now.equals(before);
      before = now;
      return isSame;
    })
    .toBe(true);
  return before;
}

async function differingPixels(one: Buffer, other: Buffer): Promise<number> {
  const pixelsOf = async (png: Buffer) => {
    const { buffer, byteOffset, length } = await sharp(png).ensureAlpha().raw().toBuffer();
    return new Uint32Array(buffer, byteOffset, length / 4);
  };
  const [pixels, others] = [await pixelsOf(one), await pixelsOf(other)];
  return pixels.reduce((count, pixel, at) => count + Number(pixel !== others[at]), 0);
}

const openUrdf = () => tab.openFiles('urdf', 'arm.urdf', { 'arm.urdf': URDF_ARM });
const openMjcf = (view?: string) =>
  tab.openFiles('mjcf', 'arm.xml', { 'arm.xml': MJCF_ARM }, view === undefined ? {} : { view });

describe('joints', () => {
  test('take a typed number within their limits, and return to the initial pose', async () => {
    await openUrdf();
    const before = await still();
    const number = tab.frame.getByRole('spinbutton', { name: 'elbow in degrees' });
    await number.fill('30.5');
    await number.press('Enter');
    await expect.poll(() => textOf('elbow')).toBe('31°');
    expect((await still()).equals(before)).toBe(false);
    await number.fill('1000');
    await number.press('Enter');
    await expect.poll(() => textOf('elbow')).toBe('57°');
    await button('Initial pose').click();
    await expect.poll(() => textOf('elbow')).toBe('0°');
    await expect.poll(() => number.inputValue()).toBe('0');
  });

  test('are two stops for Tab, with ↑ and ↓ from one to the next', async () => {
    const links = Array.from(
      { length: 64 },
      (_, at) => `<link name="l${at}"><visual><geometry><box size="1 1 1"/></geometry></visual></link>`,
    );
    const joints = links
      .slice(1)
      .map(
        (_, at) =>
          `<joint name="j${at}" type="continuous"><parent link="l${at}"/><child link="l${at + 1}"/></joint>`,
      );
    await tab.openFiles('urdf', 'a.urdf', {
      'a.urdf': `<robot name="a">${links.join('')}${joints.join('')}</robot>`,
    });
    await tab.frame.getByRole('searchbox', { name: 'Filter joints' }).focus();
    await tab.page.keyboard.press('Tab');
    await tab.frame.getByRole('spinbutton', { name: 'j0 in degrees' }).and(focused()).waitFor();
    await tab.page.keyboard.press('Tab');
    await slider('j0').and(focused()).waitFor();
    await tab.page.keyboard.press('ArrowDown');
    await slider('j1').and(focused()).waitFor();
    await tab.page.keyboard.press('ArrowRight');
    await expect.poll(() => textOf('j1')).toBe('2°');
    await tab.page.keyboard.press('Tab');
    await button('Initial pose').and(focused()).waitFor();
    await tab.page.keyboard.press('Shift+Tab');
    await slider('j1').and(focused()).waitFor();
  });
});

describe('the controls', () => {
  test('fold away, and unfold again by keyboard', async () => {
    await openUrdf();
    await button('Controls').focus();
    await tab.page.keyboard.press('Enter');
    await expect.poll(() => slider('elbow').isVisible()).toBe(false);
    await tab.page.keyboard.press('Enter');
    await expect.poll(() => slider('elbow').isVisible()).toBe(true);
  });

  test.each(['light', 'dark'] as const)('pass accessibility checks in the %s', async (theme) => {
    await tab.openFiles('mjcf', 'arm.xml', { 'arm.xml': MJCF_ARM }, { theme });
    const [, frame] = tab.page.frames();
    await frame?.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
    await frame?.evaluate(AXE);
    const violations = await frame?.evaluate<AxeResults['violations']>(
      // The heading is that of the page around the frame.
      "axe.run(document, { resultTypes: ['violations'], rules: { 'page-has-heading-one': { enabled: false } } }).then(({ violations }) => violations)",
    );
    expect(violations?.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`)).toEqual(
      [],
    );
  });
});

/** Opens an arm of one or two joints, with a cover or without, as a file in `sizes` and an argument say. */
function openMacros(view?: string) {
  const robot = (content: string) => `<robot name="arm" xmlns:xacro="x">${content}</robot>`;
  const size = (joints: number) => robot(`<xacro:property name="joints" value="${joints}"/>`);
  const link = '<visual><origin xyz="0 0 .5"/><geometry><box size=".1 .1 1"/></geometry></visual>';
  const files = {
    'arm.urdf.xacro': robot(
      `<xacro:arg name="size" default="none"/><xacro:arg name="cover" default="false"/>
      <xacro:include filename="sizes/$(arg size).xacro"/>
      <xacro:macro name="part" params="at"><link name="link_\${at}">${link}</link>
      <joint name="joint_\${at}" type="revolute"><parent link="\${'base' if at == 0 else 'link_%d' % (at - 1)}"/><child link="link_\${at}"/>
      <origin xyz="0 0 1"/><axis xyz="0 1 0"/><limit lower="-1" upper="1"/></joint>
      <xacro:if value="\${at + 1 &lt; joints}"><xacro:part at="\${at + 1}"/></xacro:if></xacro:macro>
      <link name="base">${link}<xacro:if value="$(arg cover)"><visual><geometry><sphere radius="1"/></geometry></visual></xacro:if></link>
      <xacro:part at="0"/>`,
    ),
    'sizes/long.xacro': size(2),
    'sizes/short.xacro': size(1),
  };
  return tab.openFiles('urdf', 'arm.urdf.xacro', files, view === undefined ? {} : { view });
}

test('a robot in macros has its arguments to choose, of which it is known what they can be', async () => {
  expect(await openMacros()).toMatchObject({ status: 'shown', statistics: { joints: 2, triangles: 36 } });
  const size = tab.frame.getByRole('combobox', { name: 'size' });
  expect(await size.locator('option').allTextContents()).toEqual(['long', 'short']);
  await size.selectOption('short');
  await expect.poll(() => slider('joint_1').count()).toBe(0);
  await tab.frame.getByRole('combobox', { name: 'cover' }).selectOption('true');
  const states = () => tab.page.evaluate<unknown[]>('globalThis.states');
  await expect
    .poll(async () => (await states()).at(-1))
    .toMatchObject({ status: 'shown', statistics: { joints: 1, size: [2, 2, 3] } });
  expect(await tab.frame.getByRole('combobox', { name: 'size' }).inputValue()).toBe('1');
  expect(tab.complaints).toEqual([]);
});

describe('a link to a view', () => {
  test('restores the camera, the keyframe and the joints of a model exactly', async () => {
    await openMjcf();
    await slider('elbow').focus();
    for (let times = 0; times < 5; times++) await tab.page.keyboard.press('ArrowRight');
    await tab.frame.getByRole('img').focus();
    for (const key of ['ArrowLeft', 'ArrowUp', '+', '+']) await tab.page.keyboard.press(key);
    const view = await tab.copyView();
    await tab.frame.getByRole('img').focus();
    const before = await still();
    expect(view.length).toBeLessThan(80);
    expect(view).toMatch(/^[\w-]+$/);

    await openMjcf(view);
    await tab.frame.getByRole('img').focus();
    expect(await tab.copyView()).toBe(view);
    await expect.poll(() => textOf('elbow')).toBe('9°');
    await tab.frame.getByRole('img').focus();
    // The camera of a link is rounded: the edge of a thing may lie on the other side of the middle of a pixel.
    expect(await differingPixels(await still(), before)).toBeLessThan(10);
  });

  test('restores the time of an animation', async () => {
    const open = (view?: string) =>
      tab.openFiles('mesh', 'a.glb', { 'a.glb': movingGltf() }, view === undefined ? {} : { view });
    await open();
    await slider('Time').fill('0.5');
    const view = await tab.copyView();
    await open(view);
    await expect.poll(() => textOf('Time')).toBe('0.50 / 2.00 s');
    expect(await tab.copyView()).toBe(view);
  });

  test('restores which robot the macros of a file describe, and its joints', async () => {
    await openMacros();
    await tab.frame.getByRole('combobox', { name: 'cover' }).selectOption('true');
    await expect.poll(() => tab.page.evaluate('states.at(-1).statistics?.size')).toEqual([2, 2, 4]);
    await slider('joint_1').focus();
    for (let times = 0; times < 5; times++) await tab.page.keyboard.press('ArrowRight');
    const [view, turned] = [await tab.copyView(), await textOf('joint_1')];
    await openMacros(view);
    await expect.poll(() => slider('joint_1').count()).toBe(1);
    await expect.poll(() => textOf('joint_1')).toBe(turned);
    await tab.frame.getByRole('combobox', { name: 'size' }).selectOption('short');
    await expect.poll(() => slider('joint_1').count()).toBe(0);
    expect(tab.complaints).toEqual([]);
  });

  test.each(['', '!', 'AAAA', 'gD8', 'x'.repeat(5000)])(
    'that nobody copied opens the asset as usual: %s',
    async (view) => {
      await openMjcf();
      const usual = await tab.copyView();
      expect(await openMjcf(view)).toMatchObject({ status: 'shown' });
      expect(await tab.copyView()).toBe(usual);
      expect(tab.complaints).toEqual([]);
    },
  );
});

describe('a simulation', () => {
  const FALLING = `<mujoco><worldbody>
    <geom name="ground" type="plane" size="9 9 0.1"/>
    <body name="robot" pos="0 0 4"><freejoint/><geom type="box" size="0.2 0.2 0.2"/>
      <body pos="0.3 0 0"><joint name="arm" axis="0 1 0"/><geom type="box" size="0.1 0.05 0.05"/></body></body>
    <body pos="2 0 0.3"><freejoint/><geom type="sphere" size="0.3" mass="50"/></body>
  </worldbody></mujoco>`;
  /** How high the camera looks. */
  const height = async () => decodeView(await tab.copyView())?.camera[4] ?? Number.NaN;

  test('is followed by the camera to the ground, which shows then', async () => {
    const opened = await tab.openFiles('mjcf', 'fall.xml', { 'fall.xml': FALLING });
    expect(opened).toMatchObject({ statistics: { joints: 1, isFloating: true } });
    expect((opened as { statistics: { mass: number } }).statistics.mass).toBeLessThan(90);
    const before = await height();
    await button('Play').click();
    await button('Ground and scenery').and(tab.frame.locator('[aria-pressed=true]')).waitFor();
    await expect.poll(height).toBeLessThan(before - 2);
    await button('Pause').click();
    expect(tab.complaints).toEqual([]);
  });

  test('goes on by one step while it stands still', async () => {
    await tab.openFiles('mjcf', 'fall.xml', { 'fall.xml': FALLING });
    const moved = async () => decodeView(await tab.copyView())?.moved.get(2);
    expect(await moved()).toBeUndefined();
    await button('One step').click();
    await expect.poll(moved).toBeLessThan(4);
    const first = await moved();
    await still();
    expect(await moved()).toBe(first);
  });

  /** A green ball that lies on the ground. */
  const openBall = (joint = '<freejoint/>') =>
    tab.openFiles('mjcf', 'ball.xml', {
      'ball.xml': `<mujoco><option timestep="0.005"/><worldbody><geom type="plane" size="20 20 0.1"/>
        <body pos="0 0 0.2">${joint}<geom type="sphere" size="0.2" rgba="0 0.8 0 1"/></body></worldbody></mujoco>`,
    });
  /** Where the ball is: x, y, z. */
  const lies = async () => {
    const moved = decodeView(await tab.copyView())?.moved;
    return [0, 1, 2].map((axis) => moved?.get(axis) ?? [0, 0, 0.2][axis] ?? 0);
  };
  const orange = () => placeOf((r, g, b) => r > 220 && g > 60 && g < 150 && b < 60);

  test('is pulled at, until it is let go', async () => {
    await openBall('<joint type="slide" axis="0 0 1" range="-1 9"/>');
    await button('Play').click();
    await tab.page.keyboard.down('Control');
    const before = await ball();
    const to = await dragBall(0, -before.y);
    await expect.poll(async () => (await ball()).y).toBeLessThan(before.y - 80);
    expect((await ball()).y).toBeGreaterThan(to.y);
    expect(await orange()).toBeDefined();
    await tab.page.mouse.up();
    await tab.page.keyboard.up('Control');
    await expect.poll(async () => (await ball()).y).toBeGreaterThan(before.y - 10);
    expect(await orange()).toBeUndefined();
    expect(tab.complaints).toEqual([]);
  });

  test('is pushed by a button, away from the camera', async () => {
    await openBall();
    await button('Push the chosen body').focus();
    await tab.page.keyboard.press('Enter');
    await button('Pause').waitFor();
    await expect.poll(async () => Math.hypot(...(await lies()).slice(0, 2))).toBeGreaterThan(0.3);
    await button('Pause').click();
  });

  test('runs on a slope, on which a ball rolls down', async () => {
    await openBall();
    await slider('Slope').fill('15');
    expect(await textOf('Slope')).toBe('15°, the right side higher');
    await button('Play').click();
    await expect.poll(async () => Math.hypot(...(await lies()).slice(0, 2))).toBeGreaterThan(0.5);
    await button('Pause').click();
    expect(tab.complaints).toEqual([]);
  });

  test('shows where bodies touch and how strongly', async () => {
    await openBall();
    expect(await orange()).toBeUndefined();
    await button('Contact forces').click();
    await button('One step').click();
    await expect.poll(orange).toBeDefined();
    await button('Contact forces').click();
    await expect.poll(orange).toBeUndefined();
  });
});

/** An arm that turns, lifts and bends, with a green ball in its hand. */
const ARMS = {
  mjcf: `<mujoco><worldbody><geom type="cylinder" size="0.1 0.05"/>
    <body pos="0 0 0.1"><joint name="turn" axis="0 0 1" range="-150 150"/><geom type="box" size="0.06 0.06 0.06"/>
      <body><joint name="lift" axis="0 1 0" range="-90 30"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.04"/>
        <body pos="0.4 0 0"><joint name="bend" axis="0 1 0" range="-120 120"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/>
          <geom type="sphere" pos="0.45 0 0" size="0.06" rgba="0 0.8 0 1"/></body></body></body>
  </worldbody><keyframe><key qpos="0.5 -1 1.4"/></keyframe></mujoco>`,
  urdf: `<robot name="arm"><link name="base"><visual><geometry><cylinder radius="0.1" length="0.1"/></geometry></visual></link>
    <link name="post"><visual><geometry><box size="0.12 0.12 0.12"/></geometry></visual></link>
    <link name="upper"><visual><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.07 0.07"/></geometry></visual></link>
    <link name="hand"><visual><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.06 0.06"/></geometry></visual>
      <visual><origin xyz="0.45 0 0"/><geometry><sphere radius="0.06"/></geometry><material name="green"><color rgba="0 0.8 0 1"/></material></visual></link>
    <joint name="turn" type="revolute"><parent link="base"/><child link="post"/><origin xyz="0 0 0.1"/><axis xyz="0 0 1"/><limit lower="-2.6" upper="2.6" effort="1" velocity="1"/></joint>
    <joint name="lift" type="revolute"><parent link="post"/><child link="upper"/><axis xyz="0 1 0"/><limit lower="-1.5" upper="-0.3" effort="1" velocity="1"/></joint>
    <joint name="bend" type="revolute"><parent link="upper"/><child link="hand"/><origin xyz="0.4 0 0"/><axis xyz="0 1 0"/><limit lower="0.4" upper="2" effort="1" velocity="1"/></joint></robot>`,
};

/** The middle of what is seen in a colour, as a function of red, green and blue says; undefined if nothing is. */
async function placeOf(is: (r: number, g: number, b: number) => boolean) {
  const { data, info } = await sharp(await tab.page.screenshot())
    .raw()
    .toBuffer({ resolveWithObject: true });
  const seen: number[] = [];
  for (let at = 0; at < data.length; at += info.channels)
    if (is(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0)) seen.push(at / info.channels);
  if (seen.length === 0) return undefined;
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    x: mean(seen.map((at) => at % info.width)),
    y: mean(seen.map((at) => Math.floor(at / info.width))),
    size: seen.length,
  };
}

async function ball() {
  const place = await placeOf((r, g, b) => g > 60 && g > r * 1.6 && g > b * 1.6);
  if (place === undefined) throw new Error('the green ball is not seen');
  return place;
}

/** How far the ball is from where it was dragged to, in pixels. */
const missing = async ({ x, y }: { x: number; y: number }) => {
  const seen = await ball();
  return Math.hypot(seen.x - x, seen.y - y);
};

/** Drags the ball by so many pixels, and returns where the pointer is, which still holds it. */
async function dragBall(right: number, down: number) {
  const { x, y } = await ball();
  await tab.page.mouse.move(x, y);
  await tab.page.mouse.down();
  const to = { x: x + right, y: y + down };
  await tab.page.mouse.move(to.x, to.y, { steps: 5 });
  return to;
}

describe('a part of a model', () => {
  test.each(['mjcf', 'urdf'] as const)('is dragged with Ctrl, and its joints follow: %s', async (kind) => {
    await tab.openFiles(kind, 'arm.xml', { 'arm.xml': ARMS[kind] });
    const camera = async () => decodeView(await tab.copyView())?.camera;
    const [before, looked] = [await textOf('turn'), await camera()];
    await tab.page.keyboard.down('Control');
    const to = await dragBall(-70, -60);
    await expect.poll(() => missing(to)).toBeLessThan(12);
    // Further than it can reach: the joints stay within their limits.
    await tab.page.mouse.move(to.x - 200, to.y + 200, { steps: 3 });
    await expect.poll(() => missing(to)).toBeGreaterThan(30);
    await tab.page.mouse.up();
    await tab.page.keyboard.up('Control');
    expect(await textOf('turn')).not.toBe(before);
    for (const joint of await tab.frame.locator('.joints input[type=number]').all())
      expect(await joint.evaluate((input) => (input as HTMLInputElement).validity.valid)).toBe(true);
    expect(await camera()).toEqual(looked);
    expect(tab.complaints).toEqual([]);
  });

  test('is dragged without Ctrl, or by a finger, while the button of the hand is pressed', async () => {
    await tab.openFiles('urdf', 'arm.urdf', { 'arm.urdf': ARMS.urdf });
    await button('Drag parts').click();
    const to = await dragBall(-40, -40);
    await expect.poll(() => missing(to)).toBeLessThan(12);
    await tab.page.mouse.up();
    const devtools = await tab.page.context().newCDPSession(tab.page);
    await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    const touch = (
      type: 'touchStart' | 'touchMove' | 'touchEnd',
      ...touchPoints: { x: number; y: number }[]
    ) => devtools.send('Input.dispatchTouchEvent', { type, touchPoints });
    const { x, y } = await ball();
    await touch('touchStart', { x, y });
    for (let part = 1; part <= 5; part++) await touch('touchMove', { x, y: y + part * 12 });
    await expect.poll(() => missing({ x, y: y + 60 })).toBeLessThan(12);
    await touch('touchEnd');
    await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: false });
  });

  test('that nothing moves turns the view when it is dragged', async () => {
    await tab.openFiles('mjcf', 'a.xml', {
      'a.xml':
        '<mujoco><worldbody><body><geom size="0.3" rgba="0 0.8 0 1"/><body pos="0.4 0 0"><joint/><geom size="0.1"/></body></body></worldbody></mujoco>',
    });
    const camera = async () => decodeView(await tab.copyView())?.camera;
    const before = await camera();
    await button('Drag parts').click();
    await dragBall(60, 0);
    await tab.page.mouse.up();
    expect(await camera()).not.toEqual(before);
  });
});

describe('a glTF file', () => {
  test('has a time line for its animations, with a speed', async () => {
    await tab.openFiles('mesh', 'a.glb', { 'a.glb': movingGltf() });
    await expect.poll(() => textOf('Time')).toBe('0.00 / 2.00 s');
    const before = await still();
    await slider('Time').fill('1');
    await expect.poll(() => textOf('Time')).toBe('1.00 / 2.00 s');
    expect((await still()).equals(before)).toBe(false);
    await tab.frame.getByRole('combobox', { name: 'Speed' }).selectOption('4×');
    await button('Play').click();
    await expect.poll(() => textOf('Time')).not.toBe('1.00 / 2.00 s');
    await button('Pause').click();
    await button('Reset').click();
    await expect.poll(() => textOf('Time')).toBe('0.00 / 2.00 s');
  });

  test('is seen through its cameras, and shows each of its scenes', async () => {
    const { json, binary } = triangleGltf();
    const file = glb(
      {
        ...json,
        scenes: [
          { nodes: [0, 2], name: 'one' },
          { nodes: [1], name: 'two' },
        ],
        nodes: [
          { mesh: 0 },
          { mesh: 0, scale: [3, 3, 3] },
          { camera: 0, translation: [0.3, 0.3, 2], name: 'front' },
        ],
        cameras: [{ type: 'perspective', perspective: { yfov: 1, znear: 0.1 } }],
      },
      binary,
    );
    const opened = await tab.openFiles('mesh', 'a.glb', { 'a.glb': file });
    expect(opened).toMatchObject({ statistics: { size: [1, 0, 1] } });
    await tab.unfold();
    const before = await still();
    const camera = tab.frame.getByRole('combobox', { name: 'Camera' });
    await camera.selectOption('front');
    const through = await still();
    expect(through.equals(before)).toBe(false);
    await camera.selectOption('free');
    await tab.frame.getByRole('combobox', { name: 'Scene' }).selectOption('two');
    await expect.poll(() => tab.page.evaluate('states.at(-1).statistics.size')).toEqual([3, 0, 3]);
  });

  test('shows what is behind a surface that transmits light', async () => {
    const { json, binary } = triangleGltf();
    const material = {
      alphaMode: 'MASK',
      doubleSided: true,
      extensions: { KHR_materials_transmission: { transmissionFactor: 1 } },
    };
    const glass = glb(
      {
        ...json,
        extensionsUsed: ['KHR_materials_transmission'],
        materials: [material],
        meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
      },
      binary,
    );
    const solid = async () => {
      await tab.unfold();
      await button('Grid').click();
      const { data, info } = await sharp(await tab.takePicture())
        .raw()
        .toBuffer({ resolveWithObject: true });
      let most = 0;
      for (let at = 3; at < data.length; at += info.channels) most = Math.max(most, data[at] ?? 0);
      return most;
    };
    await tab.openFiles('mesh', 'a.glb', { 'a.glb': boxGlb() });
    expect(await solid()).toBe(255);
    await tab.openFiles('mesh', 'a.glb', { 'a.glb': glass });
    const alpha = await solid();
    expect(alpha).toBeGreaterThan(20);
    expect(alpha).toBeLessThan(120);
  });
});

describe('a mesh', () => {
  const open = () => tab.openFiles('mesh', 'box.obj', { 'box.obj': OBJ_BOX.replaceAll(/^v 1/gm, 'v 2') });
  const statistics = () => tab.page.evaluate('states.at(-1).statistics');

  test('is measured in the unit and with the up axis that the user knows', async () => {
    expect(await open()).toMatchObject({ statistics: { size: [2, 0, 1], up: 'y' } });
    await tab.unfold();
    await tab.frame.getByRole('combobox', { name: 'Unit' }).selectOption('cm');
    await expect.poll(statistics).toMatchObject({ size: [0.02, 0, 0.01], unit: 'm' });
    await tab.frame.getByRole('combobox', { name: 'Up axis' }).selectOption('Z up');
    await expect.poll(statistics).toMatchObject({ up: 'z', unit: 'm' });
  });

  test('is measured from point to point, by pointer and by keyboard', async () => {
    await open();
    await tab.unfold();
    await tab.frame.getByRole('combobox', { name: 'Unit' }).selectOption('m');
    await button('Measure').click();
    const result = tab.frame.getByRole('status');
    await expect.poll(() => result.textContent()).toContain('Click a point');
    await tab.page.mouse.click(480, 320);
    await expect.poll(() => result.textContent()).toContain('second point');
    await tab.page.mouse.click(420, 320);
    await expect.poll(() => result.textContent()).toMatch(/^Distance: [\d.]+ (cm|m)$/);
    const byPointer = await result.textContent();
    await tab.page.keyboard.press('Enter');
    await expect.poll(() => result.textContent()).toContain('second point');
    await tab.page.keyboard.press('Enter');
    await expect.poll(() => result.textContent()).toBe('Distance: 0 mm');
    expect(byPointer).not.toBe('Distance: 0 mm');
  });

  test('is cut open along an axis', async () => {
    await open();
    await tab.unfold();
    const before = await still();
    await tab.frame.getByRole('combobox', { name: 'Section' }).selectOption('X');
    const half = await still();
    expect(half.equals(before)).toBe(false);
    await slider('Place of the section').fill('50');
    expect((await still()).equals(half)).toBe(false);
    await tab.frame.getByRole('combobox', { name: 'Section' }).selectOption('none');
    await tab.frame.locator('canvas').focus();
    await expect.poll(() => slider('Place of the section').isVisible()).toBe(false);
  });

  test('lists its materials and textures, with their memory', async () => {
    await tab.openFiles('mesh', 'box.obj', {
      'box.obj': OBJ_BOX,
      'box.mtl': 'newmtl red\nKd 1 0 0\nmap_Kd skin.png\n',
      'skin.png': pixelPng(255, 0, 0, 255),
    });
    await tab.unfold();
    await tab.frame.getByText('Materials and textures').click();
    const list = tab.frame.locator('.materials');
    await expect.poll(() => list.textContent()).toContain('1 material, 1 texture');
    await expect.poll(() => list.textContent()).toContain('map: 1 × 1');
  });
});

test('the bodies of a robot are a tree, and the chosen one is marked', async () => {
  await openUrdf();
  await tab.frame.getByText('Bodies (3)').click();
  const bodies = tab.frame.getByRole('listbox', { name: 'Bodies (3)' });
  const names = await bodies.getByRole('option').allTextContents();
  expect(names).toEqual([
    'none',
    'base (2 kg)',
    '\u00a0\u00a0forearm (1 kg)',
    '\u00a0\u00a0\u00a0\u00a0finger',
  ]);
  const before = await still();
  await bodies.selectOption('2');
  expect((await still()).equals(before)).toBe(false);
});

test('a plane without end is shown as the ground', async () => {
  const endless = MJCF_ARM.replace('size="2 2 0.1"', 'size="0 0 0.1"');
  await tab.openFiles('mjcf', 'arm.xml', { 'arm.xml': endless });
  const before = await still();
  await button('Ground and scenery').click();
  await expect.poll(async () => (await tab.page.screenshot()).equals(before)).toBe(false);
  expect(tab.complaints).toEqual([]);
});

test('an image that is higher than the view fits into it', async () => {
  const high = await sharp({ create: { width: 200, height: 3000, channels: 3, background: '#c8502a' } })
    .png()
    .toBuffer();
  await tab.openFiles('image', 'a.png', { 'a.png': high });
  const box = await tab.frame.locator('.picture img').boundingBox();
  expect(box?.height).toBe(640);
  await button('Actual size').click();
  await expect.poll(async () => (await tab.frame.locator('.picture img').boundingBox())?.height).toBe(3000);
});

import { mkdtempSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bindery } from '../../../e2e/bindery.ts';
import { writeSampleLibrary } from '../../../scripts/sample-library/write.ts';
import type { Actor } from '../../server/test/actor.ts';
import { browserPath, type PageOptions, useDashboard } from './dashboard.ts';
import { choose } from './folders.ts';

/** Where a picture of the end of each task is stored, for `docs/dashboard.md`; none if this is not set. */
const PICTURES = process.env.BINDERY_TASK_PICTURES;

/** What people come to the dashboard for. */
interface Task {
  name: string;
  /** The file of its picture, if it has one. */
  picture?: string;
  look?: PageOptions;
  /** Whose task it is; Ada's by default. */
  userName?: string;
  /** Where somebody begins who has a library, an asset or nothing before them. */
  from: string;
  /** Typing, and Enter in a field, are no clicks. */
  play(page: Page, click: (target: Locator) => Promise<void>, ada: Actor): Promise<void>;
}

const WORKSHOP = '/app/ada/workshop';
const ARM = `${WORKSHOP}/two-link-arm`;
const GRIPPER = `${WORKSHOP}/gripper`;

/** Two models are read and drawn without a GPU. */
const PATIENT = { timeout: 60_000 };

const copied = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');
const chooseIn = (page: Page, place: string) =>
  page.getByRole('navigation', { name: 'Parts of this library' }).getByRole('link', { name: place });

const TASKS: readonly Task[] = [
  {
    name: 'find a gripper that is licensed under MIT',
    picture: 'find',
    from: '/app/',
    play: async (page, click) => {
      await page.getByRole('article').first().waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('gripper');
      await click(page.getByRole('checkbox', { name: /^MIT/ }));
      await page.getByText('1 result').waitFor();
      await page.getByRole('link', { name: 'Parallel gripper' }).waitFor();
    },
  },
  {
    name: 'bend a joint',
    picture: 'bend',
    from: ARM,
    play: async (page, click) => {
      const viewer = page.frameLocator('iframe');
      const elbow = viewer.getByRole('spinbutton', { name: 'elbow in degrees' });
      await click(elbow);
      await elbow.fill('60');
      await elbow.press('Enter');
      const slider = viewer.getByRole('slider', { name: 'elbow' });
      await expect.poll(async () => Number(await slider.inputValue())).toBeCloseTo(Math.PI / 3, 1);
    },
  },
  {
    name: 'send somebody a link to just this view',
    picture: 'link',
    from: ARM,
    play: async (page, click) => {
      const viewer = page.frameLocator('iframe');
      await viewer.locator('canvas').press('ArrowLeft');
      await click(viewer.getByRole('button', { name: 'Copy link to this view' }));
      await expect.poll(() => copied(page)).toMatch(/\/app\/ada\/workshop\/two-link-arm\?view=/);
    },
  },
  {
    name: 'copy a line that pulls the library',
    picture: 'pull',
    from: WORKSHOP,
    play: async (page, click) => {
      await click(page.getByRole('button', { name: 'Copy: Pull the whole library' }));
      await expect.poll(() => copied(page)).toMatch(/^bindery library pull ada\/workshop -o workshop /);
    },
  },
  {
    name: 'copy the lines that open an asset in Python',
    picture: 'python',
    from: ARM,
    play: async (page, click) => {
      await click(page.getByRole('tab', { name: 'Python' }));
      await click(page.getByRole('button', { name: 'Copy: Python' }));
      await expect.poll(() => copied(page)).toMatch(/^import bindery\n/);
    },
  },
  {
    name: 'download an asset as a ZIP archive',
    picture: 'zip',
    from: ARM,
    play: async (page, click) => {
      await click(page.getByRole('tab', { name: 'Download' }));
      const download = page.waitForEvent('download');
      await click(page.getByRole('button', { name: /^Download all/ }));
      expect((await download).suggestedFilename()).toBe('two-link-arm.zip');
    },
  },
  {
    name: 'see what changed since release v1',
    picture: 'changes',
    from: WORKSHOP,
    play: async (page, click) => {
      await click(chooseIn(page, 'Releases'));
      await click(page.getByRole('link', { name: 'Changes since v1' }));
      await page
        .getByRole('region', { name: 'Removed assets' })
        .getByRole('link', { name: 'rover' })
        .waitFor();
    },
  },
  {
    name: 'give a colleague access',
    picture: 'access',
    from: '/app/ada',
    play: async (page, click) => {
      await click(page.getByRole('link', { name: 'Members' }));
      await click(page.getByLabel('User name'));
      await page.getByLabel('User name').fill('bob');
      await click(page.getByRole('button', { name: 'Add' }));
      await page.getByLabel('Role of bob').waitFor();
    },
  },
  {
    name: 'find a favourite again',
    picture: 'favourite',
    from: WORKSHOP,
    play: async (page, click) => {
      await click(page.getByRole('button', { name: 'Favourite' }));
      await click(page.getByRole('link', { name: 'Bindery' }));
      await click(page.getByRole('link', { name: 'Favourites' }));
      await expect.poll(() => page.getByRole('article').count()).toBe(1);
    },
  },
  {
    name: 'publish a folder from the browser',
    picture: 'publish',
    from: '/app/',
    play: async (page, click) => {
      await click(page.getByRole('link', { name: 'New library' }));
      await page.getByRole('button', { name: 'Choose a folder' }).waitFor();
      await choose(page, join(folder, 'parts'));
      await click(page.getByRole('button', { name: 'Publish library' }));
      await page.getByRole('link', { name: 'Open library' }).waitFor();
    },
  },
  {
    name: 'undo yesterday’s push',
    from: WORKSHOP,
    play: async (page, click) => {
      await click(chooseIn(page, 'History'));
      await page.getByText('Removed Four-wheeled rover').waitFor();
      await click(page.getByRole('button', { name: 'Restore revision 1' }));
      await click(page.getByRole('dialog').getByRole('button', { name: 'Restore' }));
      await page.getByText('Added Four-wheeled rover').waitFor();
    },
  },
  {
    name: 'compare two robots',
    from: WORKSHOP,
    play: async (page, click) => {
      await click(page.getByRole('checkbox', { name: 'Compare Parallel gripper' }));
      await click(page.getByRole('checkbox', { name: 'Compare Two-link arm' }));
      await click(page.getByRole('link', { name: 'Compare Parallel gripper and Two-link arm' }));
      await page.getByRole('row', { name: /^Kind ?, differs MJCF URDF$/ }).waitFor();
      await expect.poll(() => page.locator('[data-viewer="shown"]').count(), PATIENT).toBe(2);
    },
  },
  {
    name: 'watch a simulation, and stop it',
    from: GRIPPER,
    play: async (page, click) => {
      const viewer = page.frameLocator('iframe');
      await click(viewer.getByRole('button', { name: 'Play' }));
      await click(viewer.getByRole('button', { name: 'Pause' }));
      await viewer.getByRole('button', { name: 'Play' }).waitFor();
    },
  },
  {
    name: 'push a robot, and see it move',
    from: GRIPPER,
    play: async (page, click) => {
      const viewer = page.frameLocator('iframe');
      const finger = viewer.getByRole('spinbutton').first();
      const before = await finger.inputValue();
      await click(viewer.getByRole('button', { name: 'Push the chosen body' }));
      await expect.poll(() => finger.inputValue(), PATIENT).not.toBe(before);
    },
  },
  {
    name: 'find what has four joints or more',
    from: WORKSHOP,
    play: async (page, click) => {
      await click(page.getByRole('group', { name: 'Joints' }).getByRole('checkbox', { name: /^4–7/ }));
      await page
        .getByText('1 result')
        .or(page.getByText('1 asset', { exact: true }))
        .first()
        .waitFor();
    },
  },
  {
    name: 'require a check of proposals',
    from: '/app/team/plates?tab=settings',
    play: async (page, click) => {
      const required = page.getByRole('region', { name: 'Required checks' });
      await required.getByLabel('Names, one per line').fill('check');
      await click(required.getByRole('button', { name: 'Require these' }));
      await required.getByText('Saved.').waitFor();
    },
  },
  {
    name: 'propose a folder to those who may publish',
    from: '/app/team/plates',
    userName: 'bob',
    play: async (page, click) => {
      await click(page.getByRole('link', { name: 'Propose a folder' }));
      await choose(page, plates);
      await page.getByLabel('Title of the proposal').fill('Thinner plate');
      await click(page.getByRole('button', { name: 'Propose' }));
      await page.getByRole('heading', { name: 'Thinner plate' }).waitFor();
      await page.getByText('check (missing)').waitFor();
    },
  },
  {
    name: 'accept what somebody proposes',
    from: '/app/',
    play: async (page, click, ada) => {
      await click(page.getByText('1 proposal waits for you'));
      await click(page.getByRole('link', { name: 'Thinner plate' }));
      await page.getByRole('region', { name: 'plate.obj' }).getByText('plate.obj').first().waitFor();
      const check = page.getByRole('region', { name: 'Checks' }).getByRole('listitem');
      expect(await check.textContent()).toMatch(/^check\s*required\s*missing$/);
      expect(await page.getByRole('button', { name: 'Accept and publish' }).isDisabled()).toBe(true);
      const found = { name: 'check', state: 'passed', summary: 'It is flat.' };
      await ada.post('/namespaces/team/libraries/plates/proposals/1/checks', found);
      await page.reload();
      await check.getByText('required · It is flat. · ada').waitFor();
      await click(page.getByRole('button', { name: 'Accept and publish' }));
      await page.getByText(/Accepted by ada/).waitFor();
      await page.getByRole('link', { name: 'What revision 2 changed' }).waitFor();
    },
  },
  {
    name: 'propose other words for an asset',
    from: '/app/team/plates/plate.obj',
    userName: 'bob',
    play: async (page, click) => {
      await click(page.getByText('Edit details'));
      await page.getByLabel('Title', { exact: true }).fill('Thin plate');
      await page.getByLabel('Title of the proposal').fill('Another title');
      await click(page.getByRole('button', { name: 'Propose' }));
      await page.getByRole('heading', { name: 'Another title' }).waitFor();
      await page.getByText('Thin plate').waitFor();
    },
  },
  {
    name: 'present an asset at a booth',
    from: ARM,
    play: async (page, click) => {
      await click(page.getByRole('link', { name: 'Present' }));
      const booth = page.getByRole('dialog', { name: 'Two-link arm' });
      await booth.getByRole('img', { name: 'QR code of this page' }).waitFor();
      await page.keyboard.press('Escape');
      await booth.waitFor({ state: 'hidden' });
      expect(page.url()).not.toContain('present');
    },
  },
  {
    name: 'choose the cover of a library',
    from: WORKSHOP,
    play: async (page, click) => {
      const pictureOf = (text: string) =>
        page.getByRole('article').filter({ hasText: text }).locator('img').getAttribute('srcset');
      const arm = /\/([0-9a-f]{64})\//.exec((await pictureOf('Two-link arm')) ?? '')?.[1];
      await click(page.getByRole('link', { name: /Two-link arm/ }));
      await click(page.getByRole('button', { name: 'Use as cover' }));
      await page.getByRole('button', { name: 'Remove as cover' }).waitFor();
      await click(page.getByRole('link', { name: 'Bindery' }));
      expect(await pictureOf('ada/workshop')).toContain(arm);
    },
  },
  {
    name: 'see a model on a phone',
    from: WORKSHOP,
    look: { width: 390, height: 844 },
    play: async (page, click) => {
      await click(page.getByRole('link', { name: /Angle bracket/ }));
      const viewer = page.locator('[data-viewer="shown"]');
      await viewer.waitFor();
      expect((await viewer.boundingBox())?.y).toBeLessThanOrEqual(240);
    },
  },
  {
    name: 'open an asset by keyboard alone',
    from: WORKSHOP,
    play: async (page) => {
      await page.getByRole('article').first().waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('gripper');
      await page.getByText('1 result').waitFor();
      await page.keyboard.press('Enter');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL(`**${GRIPPER}`);
    },
  },
  {
    name: 'know an asset from its page as a screen reader tells it',
    from: ARM,
    play: async (page) => {
      await page.getByRole('heading', { name: 'More like this' }).waitFor();
      const told = await page.getByRole('main').ariaSnapshot();
      for (const part of [
        'heading "Two-link arm" [level=1]',
        'navigation "Breadcrumb"',
        'iframe',
        'tab "Python"',
        'link "Present"',
        'heading "Files" [level=2]',
        'heading "More like this" [level=2]',
      ])
        expect(told).toContain(part);
    },
  },
];

const folder = mkdtempSync(join(tmpdir(), 'bindery-tasks-'));

const sample = join(folder, 'workshop');
const plates = join(folder, 'plates');
beforeAll(async () => {
  await writeSampleLibrary(sample);
  await writeSampleLibrary(join(folder, 'parts'));
  const curation = join(sample, 'bindery.yml');
  const before = (await readFile(curation, 'utf8')).replace('  gripper:\n', '  gripper:\n    license: MIT\n');
  await writeFile(curation, before);
  await mkdir(plates);
});
afterAll(() => rm(folder, { recursive: true }));

describe.skipIf(browserPath === null).each([
  { network: 'an even network', isUneven: false },
  { network: 'a network that delays each request differently', isUneven: true },
])('over $network, it takes at most three clicks to', ({ isUneven }) => {
  const dashboard = useDashboard(['ada', 'bob'], async (service) => {
    const ada = await service.member('ada');
    const { authorization = '' } = ada.headers;
    const token = authorization.replace('Bearer ', '');
    const env = { HOME: folder, BINDERY_API_URL: service.url, BINDERY_TOKEN: token };
    const run = async (...words: string[]) => {
      const { exitCode, stderr } = await bindery(['library', ...words], { env });
      expect(exitCode, stderr).toBe(0);
    };
    await run('push', sample, 'ada/workshop', '--visibility', 'public', '--thumbnails');
    await run('release', 'ada/workshop', 'v1');
    await run('rm', 'ada/workshop/rover', '--yes');
    const plate = (height: string) => `v 0 0 0\nv 1 0 0\nv 0 1 ${height}\nf 1 2 3\n`;
    await writeFile(join(plates, 'plate.obj'), plate('1'));
    await ada.post('/namespaces', { slug: 'team' });
    await ada.put('/namespaces/team/members/bob', { role: 'reader' });
    await run('push', plates, 'team/plates');
    await writeFile(join(plates, 'plate.obj'), plate('0.5'));
  });
  const counted: string[] = [];
  afterAll(() => void process.stdout.write(`${counted.join('\n')}\n`));

  test.each(TASKS)('$name', async ({ name, picture, from, look, userName = 'ada', play }) => {
    const page = await dashboard.open(from, { ...look, isUneven, userName });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    let clicks = 0;
    const click = async (target: Locator) => {
      clicks++;
      await target.click();
    };
    await play(page, click, await dashboard.service.member('ada'));
    counted.push(`${clicks} ${clicks === 1 ? 'click ' : 'clicks'} to ${name}`);
    expect(clicks).toBeLessThanOrEqual(3);
    if (PICTURES && picture && !isUneven) await store(page, PICTURES, picture);
  });
});

async function store(page: Page, place: string, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  await mkdir(place, { recursive: true });
  const picture = await page.screenshot({ animations: 'disabled' });
  await sharp(picture)
    .webp({ quality: 70 })
    .toFile(join(place, `task-${name}.webp`));
}

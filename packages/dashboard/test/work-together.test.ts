import { describe, expect, test } from 'vitest';
import type { Actor } from '../../server/test/actor.ts';
import { publish } from '../../server/test/libraries/publish.ts';
import { browserPath, findAccessibilityProblems, useDashboard } from './dashboard.ts';
import { expectNothingHere } from './nothing-here.ts';

const HOSTILE = '<img src=x onerror=alert(1)>"\u202e';
const PROJECTS = '/namespaces/ada/projects';

async function newBindr(actor: Actor, project: string, name: string, parentId?: string): Promise<string> {
  const { body } = await actor.post<{ id: string }>(`${PROJECTS}/${project}/bindrs`, { name, parentId });
  return body.id;
}

describe.skipIf(browserPath === null)('projects, Bindrs and Notes', () => {
  let secretNote = '';
  let openNote = '';
  const dashboard = useDashboard(['ada', 'bo', 'stranger'], async (service) => {
    const ada = await service.member('ada');
    await publish(ada, 'ada/kitchen', {
      visibility: 'public',
      assets: [{ id: 'mug', files: { 'mug/mug.obj': 'v 0 0 0\n' } }],
    });
    for (let at = 0; at < 55; at++) {
      await ada.post(PROJECTS, { displayName: `Part ${String(at).padStart(2, '0')}` });
    }
    await ada.post(PROJECTS, { displayName: HOSTILE, slug: 'hostile', visibility: 'public' });
    await ada.post(PROJECTS, { displayName: 'Bench', visibility: 'public' });
    await ada.post(PROJECTS, { displayName: 'Secret' });
    await ada.post(PROJECTS, { displayName: 'Lent' });
    await ada.put(`${PROJECTS}/lent/grants/bo`, { role: 'writer' });
    const robots = await newBindr(ada, 'lent', 'Robots');
    const arms = await newBindr(ada, 'lent', 'Arms', robots);
    await newBindr(ada, 'lent', 'Gripper', arms);
    for (let at = 0; at < 120; at++) await newBindr(ada, 'bench', `b${String(at).padStart(3, '0')}`);
    const newNote = async (input: unknown) =>
      (await ada.post<{ id: string }>('/namespaces/ada/notes', input)).body.id;
    secretNote = await newNote({ name: 'Secret note', projects: ['secret'] });
    openNote = await newNote({ name: HOSTILE, visibility: 'public', projects: ['bench', 'secret'] });
  });

  test('the project catalog is paged and searched, and keeps page and query in the URL', async () => {
    const page = await dashboard.open('/app/ada/-/projects', { userName: 'ada' });
    await page.getByText('59 projects').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Page 2 of 2').waitFor();
    await page.waitForURL('**/projects?page=2');
    await page.getByRole('searchbox').fill('part 1');
    await page.getByText('10 projects').waitFor();
    expect(new URL(page.url()).search).toBe('?q=part+1');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('the form to create a project is shown only to members; the new project opens, is edited and deleted', async () => {
    const other = await dashboard.open('/app/ada/-/projects', { userName: 'bo' });
    await other.getByText('3 projects').waitFor();
    await expect.poll(() => other.getByRole('button', { name: 'Create project' }).count()).toBe(0);

    const page = await dashboard.open('/app/ada/-/projects', { userName: 'ada' });
    await page.getByLabel('Name', { exact: true }).fill('Fresh start');
    await page.getByRole('button', { name: 'Create project' }).click();
    await page.waitForURL('**/app/ada/-/projects/fresh-start');
    await page.getByRole('heading', { name: 'Fresh start' }).waitFor();

    await page.getByLabel('Description').fill('Begin again\nand again');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('banner').or(page.locator('main header')).getByText('Begin again').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Delete project' }).click();
    await page.getByLabel('Type fresh-start to confirm').fill('fresh-start');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete project' }).click();
    await page.waitForURL('**/app/ada/-/projects');
    await page.getByText('59 projects').waitFor();
  });

  test('an admin grants a role in a project, changes it, and revokes it', async () => {
    const page = await dashboard.open('/app/ada/-/projects/secret', { userName: 'ada' });
    await page.getByLabel('User name').fill('nobody-here');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('There is no account with this name.').waitFor();
    await page.getByLabel('User name').fill('bo');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('combobox', { name: 'Role of bo' }).selectOption('admin');
    const bo = await dashboard.service.member('bo');
    const roleOfBo = async () =>
      (await bo.get<{ permissions?: { role: string } }>(`${PROJECTS}/secret`)).body.permissions?.role;
    await expect.poll(roleOfBo).toBe('admin');
    await page
      .getByRole('listitem')
      .filter({ hasText: 'bo' })
      .getByRole('button', { name: 'Revoke the role of bo' })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await expect.poll(roleOfBo).toBeUndefined();
  });

  test('Bindrs are created, renamed, moved and deleted in their tree', async () => {
    const page = await dashboard.open('/app/ada/-/projects/hostile', { userName: 'ada' });
    await page.getByText('There are no Bindrs yet.').waitFor();
    const make = async (label: string, name: string) => {
      await page.getByLabel(label, { exact: true }).fill(name);
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('treeitem', { name }).waitFor();
    };
    await make('New Bindr', 'Legs');
    await make('New Bindr', HOSTILE);
    await page.getByRole('treeitem', { name: 'Legs' }).click();
    await make('New Bindr below Legs', 'Knee');
    await expect
      .poll(() => page.getByRole('treeitem', { name: 'Knee' }).getAttribute('aria-level'))
      .toBe('2');

    await page.getByRole('treeitem', { name: 'Knee' }).click();
    await page.getByLabel('Name of Knee').fill('Ankle');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('treeitem', { name: 'Ankle' }).waitFor();
    await page.getByRole('button', { name: 'Move to the top' }).click();
    await page.locator('[role=treeitem][aria-level="1"]', { hasText: 'Ankle' }).waitFor();

    await page.getByRole('treeitem', { name: 'Ankle' }).dragTo(page.getByRole('treeitem', { name: 'Legs' }));
    await page.locator('[role=treeitem][aria-level="2"]', { hasText: 'Ankle' }).waitFor();
    await page.getByRole('button', { name: 'Move to the top' }).click();
    await page.locator('[role=treeitem][aria-level="1"]', { hasText: 'Ankle' }).waitFor();

    await page.getByRole('treeitem', { name: 'Legs' }).click();
    await page.getByRole('button', { name: 'Move…' }).click();
    await page.getByRole('dialog').getByRole('treeitem', { name: 'Ankle' }).click();
    await page.locator('[role=treeitem][aria-level="2"]', { hasText: 'Legs' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);

    await page.getByRole('treeitem', { name: 'Ankle' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('The Bindrs below it are deleted too.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await expect.poll(() => page.getByRole('treeitem').count()).toBe(1);
  });

  test('many Bindrs load page by page, and a search hit is shown below its parents', async () => {
    const bench = await dashboard.open('/app/ada/-/projects/bench');
    await bench.getByRole('treeitem', { name: 'b099' }).waitFor();
    await expect.poll(() => bench.getByRole('treeitem', { name: 'b119' }).count()).toBe(0);
    await bench.getByRole('button', { name: 'More Bindrs' }).click();
    await bench.getByRole('treeitem', { name: 'b119' }).waitFor();

    const lent = await dashboard.open('/app/ada/-/projects/lent', { userName: 'bo' });
    await lent.getByRole('treeitem', { name: 'Gripper' }).waitFor();
    await lent.getByLabel('Search Bindrs').fill('grip');
    await expect
      .poll(() => lent.getByRole('treeitem').allInnerTexts())
      .toEqual(['▾\nRobots', '▾\nArms', 'Gripper']);
  });

  test('a writer without membership creates a Note, files it by keyboard, and moves it to another project', async () => {
    const ada = await dashboard.service.member('ada');
    await ada.put(`${PROJECTS}/bench/grants/bo`, { role: 'writer' });
    const page = await dashboard.open('/app/ada/-/projects/lent', { userName: 'bo' });
    await page.getByLabel('New Note').fill('Handle too thin');
    await page.getByRole('button', { name: 'Create Note' }).click();
    await page.getByRole('link', { name: 'Handle too thin' }).click();
    await page.getByRole('heading', { name: 'Projects' }).waitFor();

    await page.getByRole('button', { name: 'Bindrs in Lent' }).click();
    const picker = page.getByRole('dialog');
    await picker.getByRole('treeitem', { name: 'Robots' }).focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await picker.locator('[aria-selected=true]', { hasText: 'Gripper' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('list', { name: 'Bindrs in Lent' }).getByText('Gripper').waitFor();

    await page.getByRole('button', { name: 'Add to a project' }).click();
    await page.getByRole('dialog').getByRole('treeitem', { name: 'Bench' }).click();
    await page.getByRole('link', { name: 'Bench' }).waitFor();
    await page
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: 'Lent' }) })
      .getByRole('button', { name: 'Remove from Lent' })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await expect.poll(() => page.getByRole('link', { name: 'Lent' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Remove from Bench' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
  });

  test('a reader sees a Note only in projects they can read, and cannot change it', async () => {
    const page = await dashboard.open(`/app/ada/-/notes/${openNote}`, { userName: 'stranger' });
    await page.getByRole('heading', { name: '<img src=x' }).waitFor();
    await page.getByRole('link', { name: 'Bench' }).waitFor();
    await expect.poll(() => page.getByText('Secret').count()).toBe(0);
    await expect.poll(() => page.locator('main').getByRole('button').count()).toBe(0);
  });

  test.each([
    ['a project', () => ['/app/ada/-/projects/secret', '/app/ada/-/projects/none']],
    ['a Note', () => [`/app/ada/-/notes/${secretNote}`, '/app/ada/-/notes/none']],
    ['a namespace’s projects', () => ['/app/stranger/-/projects', '/app/nobody/-/projects']],
    ['a namespace’s Notes', () => ['/app/stranger/-/notes', '/app/nobody/-/notes']],
  ])('%s that is hidden looks like one that is missing', async (_, paths) => {
    const open = (path: string) => dashboard.open(path, { userName: 'bo' });
    await expectNothingHere(await Promise.all(paths().map(open)));
  });
});

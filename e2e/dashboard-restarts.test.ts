import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { choose, folderWith, folderWithLargeFile, uploadsOf } from '../packages/dashboard/test/folders.ts';
import { browserPath, openPage } from '../packages/server/test/pages/browser.ts';
import { rounds } from '../test/faults.ts';
import { createUser } from './author.ts';
import { bindery, type CommandResult, type RunningService, serve } from './bindery.ts';

type Page = Awaited<ReturnType<typeof openPage>>;

const AWAY = /^The service cannot be reached/;
/** Bytes. Uploaded in parts of 16 MiB. */
const LARGE = rounds({ short: 66 * 2 ** 20, long: 2 ** 30 });

describe.skipIf(browserPath === null)('the dashboard of a service that restarts', () => {
  let service: RunningService;
  let page: Page;
  let admin: (...words: string[]) => Promise<CommandResult>;

  beforeAll(async () => {
    service = await serve();
    const { dataDir } = service;
    admin = (...words) =>
      bindery(['admin', ...words, '--data-dir', dataDir], { input: 'correct horse battery\n' });
    await createUser(service, 'ada');
    page = await openPage({ baseURL: service.url });
    await page.goto('/sign-in?next=/app/');
    await page.getByLabel('E-mail address').fill('ada@example.org');
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/app/');
  });
  afterAll(async () => {
    await page?.close();
    await service?.dispose();
  });

  /** Restarts the service at the same address, as a supervisor would. */
  async function startAgain(): Promise<void> {
    const { port } = new URL(service.url);
    service = await serve({ port, dataDir: service.dataDir });
  }

  test('lists a library that was opened while the service was down, once it is back', async () => {
    const { stdout } = await admin('create-token', 'ada', '--scope', 'write', '--json');
    const { token } = JSON.parse(stdout) as { token: string };
    const folder = folderWith({ 'cube/cube.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' }, 'shapes');
    const env = { HOME: dirname(folder), BINDERY_NO_KEYCHAIN: '1', BINDERY_API_URL: service.url };
    const pushed = await bindery(['library', 'push', folder, 'ada/shapes'], {
      env: { ...env, BINDERY_TOKEN: token },
    });
    expect(pushed).toMatchObject({ exitCode: 0 });
    await page.reload();
    await page
      .getByRole('link', { name: /shapes/ })
      .first()
      .waitFor();
    await service.end('SIGKILL');
    await page
      .getByRole('link', { name: /shapes/ })
      .first()
      .click();
    await page.getByText(AWAY).waitFor();
    await startAgain();
    await page.getByRole('heading', { name: 'cube' }).waitFor();
    await expect.poll(() => page.getByText(AWAY).count()).toBe(0);
  });

  test('shows an asset that was opened while the service was down, once it is back', async () => {
    await service.end('SIGKILL');
    await page.getByRole('article').getByRole('link').first().click();
    await page.getByText(AWAY).waitFor();
    await startAgain();
    await page.locator('[data-viewer=shown]').waitFor();
    await expect.poll(() => page.getByText(AWAY).count()).toBe(0);
  });

  test('resumes an interrupted upload of a large file without resending finished parts', async () => {
    await page.goto('/app/-/new');
    await choose(page, folderWithLargeFile(LARGE, 'heavy'));
    await page.getByText('1 added').waitFor();
    const sent = uploadsOf(page);
    const firstPart = page.waitForEvent('response', (response) => response.request().method() === 'PUT');
    await page.getByRole('button', { name: 'Publish library' }).click();
    await firstPart;
    await service.end('SIGKILL');
    await page.getByText(/What has arrived is kept/).waitFor();
    await startAgain();
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await page.getByText('Published as revision 1.').waitFor();
    const parts = sent.filter(({ arrived }) => arrived).map(({ url }) => new URL(url).pathname);
    expect(new Set(parts).size).toBe(parts.length);
  });
});

import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setUpLink } from '../../src/accounts/sign-up.ts';
import { Device } from '../login/device-login.ts';
import { createPerson } from '../people.ts';
import { startService, type TestService } from '../service.ts';
import { findContrastProblems, findStructureProblems } from './accessibility-checks.ts';
import { browserPath, openPage, watchComplaints } from './browser.ts';

const password = 'correct horse battery';

describe.skipIf(browserPath === null)('pages in Chromium', () => {
  let service: TestService;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    service = await startService();
    await createPerson(service.context, { userName: 'ada', email: 'ada@example.org', password });
  });
  afterAll(async () => {
    await service.close();
  });
  beforeEach(async () => {
    page = await openPage({ baseURL: service.url, viewport: { width: 320, height: 640 } });
    context = page.context();
    complaints = watchComplaints(context, service.url);
  });
  afterEach(async () => {
    expect(complaints).toEqual([]);
    await context.close();
  });

  const heading = () => page.locator('h1').textContent();
  const alert = () => page.getByRole('alert').textContent();

  async function signIn(): Promise<void> {
    await page.goto('/sign-in');
    await page.getByLabel('E-mail address').fill('ada@example.org');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/account');
  }

  test('a device can be approved with the keyboard alone, from the link that it printed', async () => {
    const device = new Device(service.anonymous);
    const { body } = await device.start('bindery on ada-laptop');
    await page.goto(`/device?user_code=${body.user_code}`);

    expect(await heading()).toBe('Sign in');
    await page.keyboard.type('ada@example.org');
    await page.keyboard.press('Tab');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/device?user_code=*');

    await expect.poll(() => page.getByLabel('Code').inputValue()).toBe(body.user_code);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Is this your device?' }).waitFor();
    expect((await device.poll()).status).toBe(202);
    await expect.poll(() => page.locator('output').textContent()).toBe(body.user_code);
    expect(await page.locator('main').textContent()).toMatch(
      /bindery on ada-laptop[\s\S]*127\.0\.0\.1[\s\S]*UTC/,
    );

    await tabTo('Approve');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/device/approved');
    service.advance(5);
    expect((await device.poll()).status).toBe(200);
  });

  async function tabTo(button: string): Promise<void> {
    for (let step = 0; step < 20; step++) {
      await page.keyboard.press('Tab');
      if (
        (await page
          .locator(':focus')
          .textContent()
          .catch(() => '')) === button
      )
        return;
    }
    throw new Error(`"${button}" cannot be reached with the keyboard.`);
  }

  test('a device can be declined', async () => {
    const device = new Device(service.anonymous);
    const { body } = await device.start();
    await signIn();
    await page.getByRole('link', { name: 'Connect a device' }).click();
    await page.getByLabel('Code').fill(body.user_code.toLowerCase().replace('-', ' '));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.waitForURL('**/device/declined');
    expect((await device.poll()).status).toBe(403);
  });

  test('Approve and Decline look alike', async () => {
    const { body } = await new Device(service.anonymous).start();
    await signIn();
    await page.goto(`/device?user_code=${body.user_code}`);
    await page.getByRole('button', { name: 'Continue' }).click();
    const looks = await Promise.all(
      ['Approve', 'Decline'].map((name) =>
        page.getByRole('button', { name }).evaluate((button) => {
          const { color, backgroundColor, borderColor, fontSize, fontWeight, width, height } =
            getComputedStyle(button);
          return { color, backgroundColor, borderColor, fontSize, fontWeight, width, height };
        }),
      ),
    );
    expect(looks[0]).toEqual(looks[1]);
  });

  test('a wrong code shows an error and puts the focus on its field', async () => {
    await signIn();
    await page.goto('/device?user_code=BBBB-BBBB');
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await alert()).toContain('No login is waiting with this code');
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('user_code');
  });

  test('the first account can be created in the browser, after correcting a mistake', async () => {
    const fresh = await startService();
    page = await openPage({ baseURL: fresh.url });
    await page.goto((await setUpLink(fresh.context)) ?? '');
    await page.getByLabel('User name').fill('The Operator');
    await page.getByLabel('E-mail address').fill('op@example.org');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    expect(await alert()).toContain('Use 1–39 lowercase letters');
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('userName');
    await page.getByLabel('User name').fill('op');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL('**/account');
    await expect.poll(() => page.locator('header').textContent()).toContain('op');
    await page.context().close();
    await fresh.close();
  });

  test('signing out leads to the sign-in page, and the account page then asks to sign in', async () => {
    await signIn();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in');
    await page.goto('/account');
    expect(await heading()).toBe('Sign in');
  });

  test.each(['light', 'dark'] as const)(
    'every page passes the structure and contrast checks in %s mode',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      const { body } = await new Device(service.anonymous).start('x'.repeat(200));
      for (const path of ['/sign-in', '/setup?token=x']) {
        await page.goto(path);
        await expectSound(path);
      }
      await signIn();
      for (const path of ['/account', '/device', '/device/approved', '/device/declined']) {
        await page.goto(path);
        await expectSound(path);
      }
      for (const code of ['BBBB-BBBB', body.user_code]) {
        await page.goto(`/device?user_code=${code}`);
        await page.getByRole('button', { name: 'Continue' }).click();
        await expectSound(code);
      }
    },
  );

  async function expectSound(what: string): Promise<void> {
    expect(await page.evaluate(findStructureProblems), what).toEqual([]);
    expect(await page.evaluate(findContrastProblems), what).toEqual([]);
  }
});

import { describe, test } from 'vitest';
import { browserPath, useDashboard } from './dashboard.ts';

describe.skipIf(browserPath === null)('the question before something is destroyed', () => {
  const dashboard = useDashboard(['ada'], async (service) => {
    await service.token('ada', {});
  });

  test('starts on Cancel, so that pressing Enter twice destroys nothing', async () => {
    const page = await dashboard.open('/app/-/account', { userName: 'ada' });
    const revoke = page.getByRole('button', { name: 'Revoke' });
    await revoke.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await revoke.and(page.locator(':focus')).waitFor();
  });

  test('is cancelled by Escape', async () => {
    const page = await dashboard.open('/app/-/account', { userName: 'ada' });
    const revoke = page.getByRole('button', { name: 'Revoke' });
    await revoke.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await revoke.and(page.locator(':focus')).waitFor();
    await page.reload();
    await revoke.waitFor();
  });
});

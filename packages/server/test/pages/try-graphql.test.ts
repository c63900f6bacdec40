import { describe, expect, test } from 'vitest';
import { startService } from '../service.ts';
import { browserPath, openPage, watchComplaints } from './browser.ts';

describe('the page for trying GraphQL', () => {
  test('is 404 outside development', async () => {
    await using stack = new AsyncDisposableStack();
    const service = await startService();
    stack.defer(() => service.close());
    expect((await service.anonymous.get('/graphql/try')).status).toBe(404);
    expect((await service.anonymous.get('/graphql/try.js')).status).toBe(404);
  });

  test.skipIf(browserPath === null)('sends a query with a token and shows the response', async () => {
    await using stack = new AsyncDisposableStack();
    const service = await startService({ configuration: { development: true } });
    stack.defer(() => service.close());
    const ada = await service.member('ada');

    const page = await openPage({ baseURL: service.url });
    stack.defer(() => page.context().close());
    const complaints = watchComplaints(page.context(), service.url);
    await page.goto('/graphql/try');
    await page.getByLabel('Token').fill(String(ada.headers.authorization).replace('Bearer ', ''));
    await page
      .getByLabel('Query')
      .fill('query ($ns: String) { me { userName } projectCatalog(namespaceSlug: $ns) { total } }');
    await page.getByLabel('Variables').fill('{"ns": "ada"}');
    await page.getByRole('button', { name: 'Send' }).click();
    const answer = page.getByRole('status').filter({ hasText: 'data' });
    expect(JSON.parse((await answer.textContent()) ?? '')).toEqual({
      data: { me: { userName: 'ada' }, projectCatalog: { total: 0 } },
    });
    expect(complaints).toEqual([]);
  });
});

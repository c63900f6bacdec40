import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ configuration: { maxDelay: 50 } });
});
afterAll(() => service.close());

test('an overloaded service returns 503 with Retry-After, stays healthy, and serves requests again later', async () => {
  let answer = await service.anonymous.get('/libraries');
  expect(answer.status).toBe(200);

  while (answer.status === 200) {
    holdEventLoop(300);
    await setImmediate();
    answer = await service.anonymous.get('/libraries');
  }
  expect([answer.status, answer.body]).toMatchObject([503, { error: 'unavailable', retryAfter: 2 }]);
  expect(answer.headers.get('retry-after')).toBe('2');
  expect((await service.anonymous.get('/healthz')).status).toBe(200);

  await expect
    .poll(async () => (await service.anonymous.get('/libraries')).status, { timeout: 60_000 })
    .toBe(200);
});

function holdEventLoop(milliseconds: number): void {
  const until = Date.now() + milliseconds;
  while (Date.now() < until);
}

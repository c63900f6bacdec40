import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { startService, type TestService } from '../service.ts';

const LIMIT = 5;

let service: TestService;
beforeEach(async () => {
  service = await startService({ configuration: { rateLimit: LIMIT }, stillClock: true });
});
afterEach(() => service.close());

async function ask(actor: Actor, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let time = 0; time < times; time++) statuses.push((await actor.get('/libraries')).status);
  return statuses;
}

test('an address that exceeds its requests per minute gets 429 until the next minute', async () => {
  expect(await ask(service.anonymous, LIMIT)).not.toContain(429);
  const { status, headers, body } = await service.anonymous.get('/libraries');
  expect(status).toBe(429);
  expect(body).toMatchObject({ error: 'rate_limited' });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(headers.get('ratelimit-limit')).toBe(String(LIMIT));
  expect(headers.get('ratelimit-remaining')).toBe('0');
  expect(Number(headers.get('ratelimit-reset'))).toBeLessThanOrEqual(60);
  service.advance(60);
  expect((await service.anonymous.get('/libraries')).status).toBe(200);
});

test('every token has its own rate limit', async () => {
  const [ada, ben] = [await service.member('ada'), await service.member('ben')];
  expect(await ask(ada, LIMIT + 1)).toEqual([...Array<number>(LIMIT).fill(200), 429]);
  expect((await ben.get('/libraries')).status).toBe(200);
});

test('made-up tokens do not bypass the rate limit', async () => {
  const statuses: number[] = [];
  for (let guess = 0; guess <= LIMIT; guess++) {
    const { status } = await service.anonymous
      .with({ authorization: `Bearer bnd_${guess}` })
      .get('/libraries');
    statuses.push(status);
  }
  expect(statuses).toEqual([...Array<number>(LIMIT).fill(401), 429]);
});

test.each(['/healthz', '/readyz'])(
  'a busy address still gets answers from %s, which has a limit apart',
  async (path) => {
    await ask(service.anonymous, LIMIT + 1);
    for (let time = 0; time < 600; time++) {
      const { status } = await service.anonymous.get(path);
      if (status !== 200) throw new Error(`${status} at check ${time}`);
    }
    const { status, headers } = await service.anonymous.get(path);
    expect([status, headers.get('ratelimit-limit')]).toEqual([429, '600']);
    service.advance(60);
    for (let time = 0; time < LIMIT; time++) await service.anonymous.get(path);
    expect((await service.anonymous.get('/libraries')).status).toBe(200);
  },
);

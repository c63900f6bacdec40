import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn } from '../../src/login/sign-in.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';

const RIGHT = 'correct horse battery';

describe.each(databases)('guessing passwords over $name', ({ open }) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ database: await open() });
    await service.member('ada');
    await service.member('bob');
  });
  afterAll(() => service.close());

  let evaluated = 0;

  /** What came of a try: its outcome, and the cookies that a browser would send the next time. */
  async function tries(who: string, password: string, caller: string, cookieHeader?: string) {
    const webSessions = {
      ...service.context.webSessions,
      signIn: async (_email: string, given: string) => {
        evaluated++;
        return given === RIGHT ? ['session=x; Path=/'] : null;
      },
    };
    const email = `${who}@example.org`;
    const context = { ...service.context, webSessions };
    const request = { address: caller, userAgent: null };
    return signIn(context, { email, password, caller, cookieHeader, request }).then(
      (cookies) => ({ outcome: 'in', cookies: cookies.map((cookie) => cookie.split(';')[0]).join('; ') }),
      ({ code }: { code: string }) => ({ outcome: code, cookies: '' }),
    );
  }

  async function guesses(who: string, addresses: number, each: number): Promise<void> {
    for (let address = 0; address < addresses; address++) {
      for (let guess = 0; guess < each; guess++) {
        await tries(who, `guess ${address} ${guess}`, `203.0.113.${address}`);
      }
    }
  }

  test('of one account from forty addresses stops after thirty, without locking out known browsers and addresses', async () => {
    const { cookies } = await tries('ada', RIGHT, '198.51.100.1');
    evaluated = 0;
    await guesses('ada', 40, 10);
    expect(evaluated).toBe(30);

    expect((await tries('ada', RIGHT, '192.0.2.1')).outcome).toBe('rate_limited');
    expect((await tries('ada', RIGHT, '198.51.100.1')).outcome).toBe('in');
    expect((await tries('ada', RIGHT, '192.0.2.2', cookies)).outcome).toBe('in');
    expect((await tries('bob', RIGHT, '192.0.2.1')).outcome).toBe('in');
    service.advance(3_601);
    expect((await tries('ada', RIGHT, '192.0.2.3')).outcome).toBe('in');
  });

  test('of an account that does not exist stops after thirty as well', async () => {
    evaluated = 0;
    await guesses('nobody', 10, 5);
    expect(evaluated).toBe(30);
  });

  test('a known device has ten attempts of its own, and only for its own account', async () => {
    service.advance(3_601);
    const { cookies } = await tries('ada', RIGHT, '198.51.100.1');
    for (let guess = 0; guess < 10; guess++) {
      expect((await tries('ada', 'wrong', `192.0.2.${guess}`, cookies)).outcome).toBe('invalid_credentials');
    }
    expect((await tries('ada', RIGHT, '192.0.2.99', cookies)).outcome).toBe('rate_limited');
    evaluated = 0;
    for (let guess = 0; guess < 40; guess++) await tries('bob', 'wrong', `203.0.113.${guess}`, cookies);
    expect(evaluated).toBe(30);
  });

  test('a forged cookie does not count as a known device', async () => {
    service.advance(3_601);
    evaluated = 0;
    for (let guess = 0; guess < 40; guess++) {
      await tries('ada', 'wrong', `203.0.113.${guess}`, `bindery.device=guess${guess}.AAAA`);
    }
    expect(evaluated).toBe(30);
  });
});

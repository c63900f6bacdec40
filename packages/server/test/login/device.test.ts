import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MACHINE } from '../../src/access/viewer.ts';
import { actorOf } from '../../src/audit/audit-log.ts';
import { ServiceError } from '../../src/errors.ts';
import { decideDeviceLogin, findDeviceLogin } from '../../src/login/device/decide.ts';
import { pollDeviceLogin } from '../../src/login/device/poll.ts';
import { makeUserCode } from '../../src/login/device/start.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { Device, decide } from './device-login.ts';

describe.each(databases)('device login over $name', ({ open }) => {
  let service: TestService;
  let device: Device;
  beforeAll(async () => {
    service = await startService({ database: await open(), stillClock: true });
  });
  afterAll(() => service.close());
  beforeEach(() => {
    device = new Device(service.anonymous);
  });

  test('starts with a user code, verification URLs, ten minutes to live and a polling interval', async () => {
    const { status, body } = await device.start('bindery on ada-laptop');
    expect(status).toBe(200);
    expect(body).toEqual({
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${service.url}/device`,
      verification_uri_complete: `${service.url}/device?user_code=${body.user_code}`,
      expires_in: 600,
      interval: 5,
    });
  });

  test.each([
    ['no hash', {}],
    ['an upper-case hash', { device_secret_hash: 'A'.repeat(64) }],
    ['a short hash', { device_secret_hash: 'a'.repeat(63) }],
    ['a number as the hash', { device_secret_hash: 7 }],
    ['an unknown key', { device_secret_hash: 'a'.repeat(64), scope: 'write' }],
    ['a client name of 201 characters', { device_secret_hash: 'a'.repeat(64), client_name: 'x'.repeat(201) }],
    ['a body that is not an object', '[]'],
    ['a body that is not JSON', '{'],
  ])('%s is an invalid request', async (_what, body) => {
    for (const path of ['/api/device/start', '/api/device/poll']) {
      const answer = await service.anonymous.post(path, body);
      expect([path, answer.status, answer.body.error]).toEqual([path, 400, 'invalid_request']);
    }
  });

  test('waits for approval, then issues an access token once, which can be exchanged once', async () => {
    const { body: started } = await device.start();
    const pending = await device.poll();
    expect([pending.status, pending.body]).toEqual([202, { error: 'authorization_pending' }]);

    await decide(service, 'ada', started.user_code.replace('-', '').toLowerCase(), 'approved');
    service.advance(5);
    const collected = await device.poll();
    expect(collected.status).toBe(200);
    expect(collected.body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 300,
    });
    expect(await device.poll()).toMatchObject({ status: 400, body: { error: 'expired_token' } });

    const exchanged = await device.exchange(collected.body.access_token);
    expect(exchanged.status).toBe(200);
    expect(exchanged.body).toEqual({
      token: expect.any(String),
      token_type: 'Bearer',
      expires_at: expect.any(String),
      user: { id: expect.any(String), userName: 'ada', displayName: 'ada', email: 'ada@example.org' },
      namespace: 'ada',
    });
    expect(await device.exchange(collected.body.access_token)).toMatchObject({
      status: 401,
      body: { error: 'invalid_token' },
    });
    const profile = await service.anonymous
      .with({ authorization: `Bearer ${exchanged.body.token}` })
      .get('/api/auth/profile');
    expect(profile).toMatchObject({ status: 200, body: { user: { userName: 'ada' }, namespace: 'ada' } });
  });

  test('a poll that is too early gets slow_down with a Retry-After header', async () => {
    await device.start();
    await device.poll();
    service.advance(2);
    const answer = await device.poll();
    expect([answer.status, answer.body.error]).toEqual([429, 'slow_down']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(2);
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(3);
    service.advance(3);
    expect((await device.poll()).status).toBe(202);
  });

  test('a poll for a declined login gets access_denied', async () => {
    const { body } = await device.start();
    await decide(service, 'ada', body.user_code, 'declined');
    expect(await device.poll()).toMatchObject({ status: 403, body: { error: 'access_denied' } });
  });

  test('a login expires after ten minutes, approved or not', async () => {
    const { body } = await device.start();
    const late = new Device(service.anonymous);
    const { body: approved } = await late.start();
    await decide(service, 'ada', approved.user_code, 'approved');
    service.advance(600);
    await expect(decide(service, 'ada', body.user_code, 'approved')).rejects.toThrow('No login is waiting');
    for (const each of [device, late]) {
      expect(await each.poll()).toMatchObject({ status: 400, body: { error: 'expired_token' } });
    }
  });

  test('a poll with a secret that started no login gets unknown_request', async () => {
    expect(await device.poll()).toMatchObject({ status: 404, body: { error: 'unknown_request' } });
  });

  test('starting again replaces the earlier request and its code', async () => {
    const { body: first } = await device.start();
    const { body: second } = await device.start();
    await expect(decide(service, 'ada', first.user_code, 'approved')).rejects.toThrow('No login is waiting');
    await decide(service, 'ada', second.user_code, 'approved');
    expect((await device.poll()).status).toBe(200);
    expect((await device.start()).status).toBe(200);
    expect((await device.poll()).status).toBe(202);
  });

  test('an access token can only be exchanged, and only within five minutes', async () => {
    const { body: started } = await device.start();
    await decide(service, 'ada', started.user_code, 'approved');
    const { body } = await device.poll();
    const holder = service.anonymous.with({ authorization: `Bearer ${body.access_token}` });
    expect((await holder.get('/api/auth/profile')).status).toBe(401);
    service.advance(301);
    expect((await device.exchange(body.access_token)).status).toBe(401);
  });

  test('exactly one of fifty concurrent polls collects, and one of fifty concurrent exchanges succeeds', async () => {
    const { body: started } = await device.start();
    await decide(service, 'ada', started.user_code, 'approved');
    const polls = await Promise.allSettled(
      Array.from({ length: 50 }, () => pollDeviceLogin(service.context, device.hash)),
    );
    const collected = polls.flatMap((poll) => (poll.status === 'fulfilled' ? [poll.value] : []));
    expect(collected).toMatchObject([{ state: 'collected' }]);
    const refusals = polls.flatMap((poll) => (poll.status === 'rejected' ? [poll.reason.code] : []));
    expect(new Set(refusals)).toEqual(new Set(['expired_token']));

    const [winner] = collected;
    const token = winner?.state === 'collected' ? winner.accessToken : '';
    const exchanges = await Promise.all(Array.from({ length: 50 }, () => device.exchange(token)));
    expect(exchanges.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(exchanges.filter(({ status }) => status === 401)).toHaveLength(49);
  });

  test('only one of a simultaneous approval and decline takes effect', async () => {
    const { body } = await device.start();
    await service.member('ada');
    const decisions = await Promise.allSettled([
      decide(service, 'ada', body.user_code, 'approved'),
      decide(service, 'ada', body.user_code, 'declined'),
    ]);
    expect(decisions.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('ten thousand guessed codes find no login and are rate limited, but only for the guesser', async () => {
    const { body } = await device.start();
    const guesser = { accountId: 'mallory', caller: '203.0.113.7' };
    const outcomes = new Map<string, number>();
    const codes = Array.from({ length: 10_000 }, makeUserCode).filter(
      (code) => code !== body.user_code.replace('-', ''),
    );
    for (let at = 0; at < codes.length; at += 500) await Promise.all(codes.slice(at, at + 500).map(guess));
    expect(outcomes.get('unknown_request')).toBeLessThanOrEqual(10);
    expect(outcomes.get('found')).toBeUndefined();
    expect(outcomes.get('rate_limited')).toBeGreaterThanOrEqual(9_980);
    await expect(findDeviceLogin(service.context, guesser, body.user_code)).rejects.toThrow('Too many');

    const other = { accountId: 'ada', caller: '198.51.100.1' };
    expect(await findDeviceLogin(service.context, other, body.user_code)).toMatchObject({ clientName: null });

    async function guess(code: string): Promise<void> {
      const outcome = await findDeviceLogin(service.context, guesser, code).then(
        () => 'found',
        (error: unknown) => (error instanceof ServiceError ? error.code : 'failed'),
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  });

  test('guesses from one address through many accounts are rate limited too', async () => {
    const guess = (account: number) =>
      decideDeviceLogin(
        service.context,
        { accountId: `m${account}`, session: '', caller: '203.0.113.8', actor: actorOf(MACHINE) },
        'x',
        'approved',
      );
    for (let account = 0; account < 30; account++) {
      await expect(guess(account)).rejects.toMatchObject({ code: 'unknown_request' });
    }
    await expect(guess(31)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  test('correct codes do not count as guesses', async () => {
    const approver = { accountId: 'careful', caller: '198.51.100.2' };
    const { body } = await device.start();
    const enter = (code: string) => findDeviceLogin(service.context, approver, code);
    const found = { userCode: body.user_code.replace('-', '') };
    for (let time = 0; time < 40; time++) expect(await enter(body.user_code)).toMatchObject(found);
    for (let time = 0; time < 10; time++)
      await expect(enter(makeUserCode())).rejects.toMatchObject({ code: 'unknown_request' });
    await expect(enter(makeUserCode())).rejects.toMatchObject({ code: 'rate_limited' });
  });

  test('logins started from one address are rate limited, with a Retry-After header', async () => {
    let answer = await device.start();
    for (let start = 1; start <= 60; start++) answer = await device.start();
    expect([answer.status, answer.body]).toMatchObject([429, { error: 'rate_limited' }]);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answer.headers.get('ratelimit-limit')).toBe('60');
    expect(answer.headers.get('ratelimit-remaining')).toBe('0');
    service.advance(61);
    expect((await device.start()).status).toBe(200);
  });
});

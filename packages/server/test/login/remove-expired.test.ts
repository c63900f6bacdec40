import { expect, test } from 'vitest';
import { createInvitation } from '../../src/accounts/sign-up.ts';
import { deleteExpired } from '../../src/jobs/index.ts';
import { databases } from '../databases.ts';
import { createPerson } from '../people.ts';
import { startService } from '../service.ts';
import { Device, decide, logIn } from './device-login.ts';

const tables = ['device_requests', 'spent_tokens', 'invitations', 'attempts', 'sign_in_sessions'] as const;

test.each(databases)('$name: expired login data is deleted, and valid data is kept', async ({ open }) => {
  const service = await startService({ database: await open() });
  const { context } = service;
  const count = async () =>
    Promise.all(
      tables.map(async (table) => (await context.db.selectFrom(table).selectAll().execute()).length),
    );

  const password = 'correct horse battery';
  await createPerson(context, { userName: 'olga', email: 'olga@example.org', password });
  const fill = async () => {
    await logIn(service, 'ada');
    await createInvitation(context);
    await context.webSessions.signIn('olga@example.org', password);
  };
  await fill();
  const full = await count();
  expect(Math.min(...full)).toBeGreaterThan(0);
  await deleteExpired(context);
  expect(await count()).toEqual(full);

  service.advance(600 + 3_600);
  const device = new Device(service.anonymous);
  await device.start();
  service.advance(700);
  await deleteExpired(context);
  expect((await device.poll()).body.error).toBe('expired_token');

  service.advance(181 * 86_400);
  await deleteExpired(context);
  const [, ...others] = await count();
  expect(Math.max(...others)).toBe(0);
  expect((await device.poll()).body.error).toBe('unknown_request');
  await service.close();
});

test.each(databases)(
  '$name: a spent token stays spent after the clock ran ahead and was corrected',
  async ({ open }) => {
    const service = await startService({ database: await open() });
    const device = new Device(service.anonymous);
    const { body: started } = await device.start();
    await decide(service, 'ada', started.user_code, 'approved');
    const accessToken = (await device.poll()).body.access_token;
    expect((await device.exchange(accessToken)).status).toBe(200);
    for (const days of [1, 90, 400]) {
      service.advance(days * 86_400);
      await deleteExpired(service.context);
      service.advance(-days * 86_400);
      expect((await device.exchange(accessToken)).status).toBe(401);
    }
    await service.close();
  },
);

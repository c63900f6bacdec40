import { createHash, randomBytes } from 'node:crypto';
import { visitor } from '../../src/audit/audit-log.ts';
import { decideDeviceLogin } from '../../src/login/device/decide.ts';
import type { Actor } from '../actor.ts';
import type { TestService } from '../service.ts';

/** A command line that logs in: it holds a secret and sends its hash alone. */
export class Device {
  readonly hash = createHash('sha256').update(randomBytes(32).toString('hex')).digest('hex');
  readonly actor: Actor;

  constructor(actor: Actor) {
    this.actor = actor;
  }

  start(clientName?: string) {
    return this.actor.post<{ user_code: string; verification_uri: string }>('/api/device/start', {
      device_secret_hash: this.hash,
      ...(clientName === undefined ? {} : { client_name: clientName }),
    });
  }

  poll() {
    return this.actor.post<{ access_token: string; error?: string }>('/api/device/poll', {
      device_secret_hash: this.hash,
    });
  }

  exchange(accessToken: string) {
    return this.actor
      .with({ authorization: `Bearer ${accessToken}` })
      .post<{ token: string; expires_at: string }>('/api/auth/exchange');
  }
}

/** Decides about a login as a signed-in person does; the pages are tested apart. */
export async function decide(
  service: TestService,
  userName: string,
  userCode: string,
  decision: 'approved' | 'declined',
): Promise<void> {
  await service.member(userName);
  const { id } = await service.context.db
    .selectFrom('accounts')
    .select('id')
    .where('user_name', '=', userName)
    .executeTakeFirstOrThrow();
  const session = await browserSession(service, id);
  await decideDeviceLogin(
    service.context,
    { accountId: id, session, caller: '127.0.0.1', actor: visitor(userName, null) },
    userCode,
    decision,
  );
}

/** A signed-in browser of the account. */
async function browserSession({ context }: TestService, accountId: string): Promise<string> {
  const token = randomBytes(16).toString('hex');
  const now = new Date(context.clock()).toISOString();
  await context.db
    .insertInto('sign_in_sessions')
    .values({
      id: token,
      token,
      user_id: accountId,
      expires_at: new Date(context.clock() + 3_600_000).toISOString(),
      created_at: now,
      updated_at: now,
    })
    .execute();
  return token;
}

/** A service token, got the way the command line gets it. */
export async function logIn(service: TestService, userName: string): Promise<string> {
  const device = new Device(service.anonymous);
  const { body: started } = await device.start();
  await decide(service, userName, started.user_code, 'approved');
  const { body: polled } = await device.poll();
  const { body: exchanged } = await device.exchange(polled.access_token);
  return exchanged.token;
}

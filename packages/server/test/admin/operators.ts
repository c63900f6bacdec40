import { MACHINE } from '../../src/access/viewer.ts';
import { changeUser } from '../../src/administration/users.ts';
import type { Actor } from '../actor.ts';
import { logIn } from '../login/device-login.ts';
import type { TestService } from '../service.ts';

/** Somebody who has just signed in, which members that hold personal tokens did not. */
export async function signedIn(service: TestService, userName: string): Promise<Actor> {
  return service.anonymous.with({ authorization: `Bearer ${await logIn(service, userName)}` });
}

/** An operator who has just signed in. */
export async function operator(service: TestService, userName: string): Promise<Actor> {
  const actor = await signedIn(service, userName);
  await changeUser(service.context, MACHINE, { userName: userName }, { operator: true });
  return actor;
}

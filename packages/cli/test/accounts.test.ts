import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { logIn } from '../../server/test/login/device-login.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import { startReceiver } from '../../server/test/webhooks/receiver.ts';
import { createTerminalUser, type TerminalUser } from './command-line.ts';

let service: TestService;
let ada: TerminalUser;
let bob: TerminalUser;
beforeAll(async () => {
  service = await startService({ configuration: { webhookNetworks: ['loopback'] } });
  [ada, bob] = await Promise.all([signedIn('ada'), signedIn('bob')]);
});
afterAll(async () => {
  await Promise.all([ada.dispose(), bob.dispose()]);
  await service.close();
});

async function signedIn(userName: string): Promise<TerminalUser> {
  const person = await createTerminalUser(service.url);
  return person.with({ BINDERY_TOKEN: await logIn(service, userName) });
}

describe('namespaces and members', () => {
  test('an owner creates a team, renames it, adds and removes a member, and deletes it only with --yes', async () => {
    expect(await ada.run('namespace', 'create', 'acme', '--name', 'Acme Robotics')).toEqual({
      code: 0,
      stdout: 'Created namespace acme.\n',
      stderr: '',
    });
    expect((await ada.run('namespace', 'list')).stdout).toBe(
      'acme  Acme Robotics  team  owner\nada  ada  personal  owner\n',
    );
    expect((await ada.run('namespace', 'rename', 'acme', 'Acme')).stdout).toContain('name       Acme\n');

    expect((await ada.run('member', 'add', 'acme', 'bob')).stdout).toBe('bob now has the role member.\n');
    expect((await bob.run('member', 'list', 'acme')).stdout).toBe('ada  owner\nbob  member\n');
    expect((await bob.run('member', 'add', 'acme', 'bob', '--role', 'owner')).code).toBe(4);
    expect((await ada.run('member', 'remove', 'acme', 'bob', '--yes')).code).toBe(0);
    expect((await bob.run('member', 'list', 'acme')).code).toBe(5);

    const unasked = await ada.run('namespace', 'delete', 'acme');
    expect(unasked).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'Error: Delete namespace acme? This is not a terminal.\nAdd --yes to go ahead without a prompt.\n',
    });
    expect((await ada.run('namespace', 'show', 'acme')).code).toBe(0);
    expect((await ada.run('namespace', 'delete', 'acme', '--yes')).code).toBe(0);
    expect((await ada.run('namespace', 'show', 'acme')).code).toBe(5);
  });

  test('creating a namespace whose slug is taken fails as a conflict, with exit code 6', async () => {
    const { code, stderr } = await bob.run('namespace', 'create', 'ada');
    expect(code).toBe(6);
    expect(stderr).toContain('Choose another name.');
  });

  test('the last owner cannot leave', async () => {
    expect((await ada.run('member', 'remove', 'ada', 'ada', '--yes')).code).toBe(6);
  });

  test("--json prints the service's response", async () => {
    const { stdout } = await ada.run('namespace', 'show', 'ada', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ slug: 'ada', kind: 'personal', viewerRole: 'owner' });
  });
});

describe('webhooks', () => {
  test('a webhook is added, changed, pinged, redelivered to, paused, resumed and removed, and its secret rotated', async () => {
    const receiver = await startReceiver();
    const refused = await ada.run('webhook', 'add', 'ada', receiver.url, '--events', 'nothing');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('expected "all", or any of library.registered');

    const made = await ada.run('webhook', 'add', 'ada', receiver.url, '--events', 'note.created');
    expect(made.code).toBe(0);
    expect(made.stdout).toMatch(/^Webhook \S+\nwhsec_\S+\n$/);
    const id = made.stdout.split(/\s/)[1] ?? '';
    const listed = `${id}  active  note.created  ${receiver.url}\n`;
    expect((await ada.run('webhook', 'list', 'ada')).stdout).toBe(listed);
    expect((await bob.run('webhook', 'list', 'ada')).code).toBe(5);
    expect((await ada.run('webhook', 'rotate', 'ada', id)).stdout).toMatch(/^whsec_\S+\n$/);
    const elsewhere = await ada.run('webhook', 'change', 'ada', id, '--url', `${receiver.url}/hook`);
    expect(elsewhere.stdout).toBe(`${id} now sends to ${receiver.url}/hook.\n`);

    const ping = await ada.run('webhook', 'ping', 'ada', id);
    const delivery = /^ping (msg_\S+) is queued\.\n$/.exec(ping.stdout)?.[1] ?? '';
    await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(1);
    const sent = async () =>
      (await ada.run('webhook', 'deliveries', 'ada', id, '--state', 'delivered')).stdout;
    await expect.poll(sent, { timeout: 30_000 }).toMatch(new RegExp(`^${delivery} .* ping +delivered +1 `));
    expect((await ada.run('webhook', 'redeliver', 'ada', id, delivery)).code).toBe(0);
    await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(2);

    expect((await ada.run('webhook', 'pause', 'ada', id)).stdout).toBe(`${id} is paused.\n`);
    expect((await ada.run('webhook', 'resume', 'ada', id)).stdout).toBe(`${id} is active again.\n`);
    expect((await ada.run('webhook', 'remove', 'ada', id, '--yes')).code).toBe(0);
    expect((await ada.run('webhook', 'list', 'ada')).stdout).toBe('');
    await receiver.close();
  });
});

describe('personal access tokens', () => {
  test('a new token is printed alone, works, is listed without its secret, and stops working when revoked', async () => {
    const { code, stdout, stderr } = await ada.run(
      'token',
      'create',
      'ci',
      '--scope',
      'write',
      '--expires',
      '90',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^bnd_\S+\n$/);
    expect(stderr).toContain('Token "ci" (write). It is shown only once');
    const secret = stdout.trim();
    const machine = ada.with({ BINDERY_TOKEN: secret });
    expect((await machine.run('profile')).code).toBe(0);

    const list = await ada.run('token', 'list', '--json');
    expect(JSON.parse(list.stdout).tokens).toContainEqual(
      expect.objectContaining({ name: 'ci', scope: 'write' }),
    );
    expect(list.stdout).not.toContain(secret);

    expect((await ada.run('token', 'revoke', 'ci')).stdout).toBe('Revoked token "ci".\n');
    expect((await machine.run('profile')).code).toBe(4);
  });

  test('revoking an unknown token exits with code 5, and revoking by an ambiguous name is a usage error', async () => {
    expect(await ada.run('token', 'revoke', 'nothing')).toMatchObject({
      code: 5,
      stderr: 'Error: You have no token "nothing".\nLook it up with "bindery token list".\n',
    });
    await ada.run('token', 'create', 'twin');
    await ada.run('token', 'create', 'twin');
    const { code, stderr } = await ada.run('token', 'revoke', 'twin');
    expect(code).toBe(2);
    expect(stderr).toContain('2 tokens have the name "twin".');
  });
});

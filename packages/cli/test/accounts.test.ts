import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { logIn } from '../../server/test/login/device-login.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import { newPerson, type Person } from './command-line.ts';

let service: TestService;
let ada: Person;
let bob: Person;
beforeAll(async () => {
  service = await startService();
  [ada, bob] = await Promise.all([signedIn('ada'), signedIn('bob')]);
});
afterAll(async () => {
  await Promise.all([ada.leaves(), bob.leaves()]);
  await service.close();
});

async function signedIn(userName: string): Promise<Person> {
  const person = await newPerson(service.url);
  return person.with({ BINDERY_TOKEN: await logIn(service, userName) });
}

describe('namespaces and members', () => {
  test('a team from its making to its end', async () => {
    expect(await ada.types('namespace', 'create', 'acme', '--name', 'Acme Robotics')).toEqual({
      code: 0,
      stdout: 'Made namespace acme.\n',
      stderr: '',
    });
    expect((await ada.types('namespace', 'list')).stdout).toBe(
      'acme  Acme Robotics  team  owner\nada  ada  personal  owner\n',
    );
    expect((await ada.types('namespace', 'rename', 'acme', 'Acme')).stdout).toContain('name       Acme\n');

    expect((await ada.types('member', 'add', 'acme', 'bob')).stdout).toBe('bob is member now.\n');
    expect((await bob.types('member', 'list', 'acme')).stdout).toBe('ada  owner\nbob  member\n');
    expect((await bob.types('member', 'add', 'acme', 'bob', '--role', 'owner')).code).toBe(4);
    expect((await ada.types('member', 'remove', 'acme', 'bob', '--yes')).code).toBe(0);
    expect((await bob.types('member', 'list', 'acme')).code).toBe(5);

    const unasked = await ada.types('namespace', 'delete', 'acme');
    expect(unasked).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'Error: Delete namespace acme? Nobody can be asked here.\nAdd --yes to go ahead without being asked.\n',
    });
    expect((await ada.types('namespace', 'show', 'acme')).code).toBe(0);
    expect((await ada.types('namespace', 'delete', 'acme', '--yes')).code).toBe(0);
    expect((await ada.types('namespace', 'show', 'acme')).code).toBe(5);
  });

  test('a slug that is taken is a conflict', async () => {
    const { code, stderr } = await bob.types('namespace', 'create', 'ada');
    expect(code).toBe(6);
    expect(stderr).toContain('Choose another name.');
  });

  test('the last owner cannot leave', async () => {
    expect((await ada.types('member', 'remove', 'ada', 'ada', '--yes')).code).toBe(6);
  });

  test('--json prints the answer of the service', async () => {
    const { stdout } = await ada.types('namespace', 'show', 'ada', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ slug: 'ada', kind: 'personal', viewerRole: 'owner' });
  });
});

describe('personal access tokens', () => {
  test('a token is printed alone, works, is listed without its secret, and ends when revoked', async () => {
    const { code, stdout, stderr } = await ada.types(
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
    expect(stderr).toContain('Token "ci" (write). It is shown this once');
    const secret = stdout.trim();
    const machine = ada.with({ BINDERY_TOKEN: secret });
    expect((await machine.types('profile')).code).toBe(0);

    const list = await ada.types('token', 'list', '--json');
    expect(JSON.parse(list.stdout).tokens).toContainEqual(
      expect.objectContaining({ name: 'ci', scope: 'write' }),
    );
    expect(list.stdout).not.toContain(secret);

    expect((await ada.types('token', 'revoke', 'ci')).stdout).toBe('Revoked token "ci".\n');
    expect((await machine.types('profile')).code).toBe(4);
  });

  test('a token that there is not is exit code 5, one of two of a name is a usage error', async () => {
    expect(await ada.types('token', 'revoke', 'nothing')).toMatchObject({
      code: 5,
      stderr: 'Error: You have no token "nothing".\nLook it up with "bindery token list".\n',
    });
    await ada.types('token', 'create', 'twin');
    await ada.types('token', 'create', 'twin');
    const { code, stderr } = await ada.types('token', 'revoke', 'twin');
    expect(code).toBe(2);
    expect(stderr).toContain('2 tokens have the name "twin".');
  });
});

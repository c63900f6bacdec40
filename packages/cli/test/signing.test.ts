import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeFiles } from '../../sdk/test/folder.ts';
import { logIn } from '../../server/test/login/device-login.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import { type CommandResult, createTerminalUser, type TerminalUser } from './command-line.ts';

let service: TestService;
/** The owner, and somebody with a machine of their own. */
let ada: TerminalUser;
let bob: TerminalUser;

beforeAll(async () => {
  service = await startService();
  ada = (await createTerminalUser(service.url)).with({ BINDERY_TOKEN: await logIn(service, 'ada') });
  bob = (await createTerminalUser(service.url)).with({ BINDERY_TOKEN: ada.environment.BINDERY_TOKEN ?? '' });
  writeFiles(ada.home, {
    'robots/arm/arm.xml': '<mujoco/>',
    'robots/arm/mesh.stl': 'solid arm',
    '.ssh/known_hosts': '',
  });
  for (const name of ['id_ed25519', 'new'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(ada.home, '.ssh', name)]);
});
afterAll(async () => {
  await Promise.all([ada.dispose(), bob.dispose()]);
  await service.close();
});

/** Runs a line of the walk, and prints it with its answer if `BINDERY_PRINT_WALK` is set. */
async function typed(person: TerminalUser, line: string): Promise<CommandResult> {
  const result = await person.run(...line.split(' ').slice(1));
  if (process.env.BINDERY_PRINT_WALK) console.log(`$ ${line}\n${result.stdout}${result.stderr}`);
  return result;
}

test('an owner signs a release; others verify it from the service, a folder and a stick, and refuse what is not it', async () => {
  const key = (name: string) => join(ada.home, '.ssh', name);
  const printed = execFileSync('ssh-keygen', ['-l', '-f', key('id_ed25519.pub')]).toString();
  const fingerprint = printed.split(' ')[1] ?? '';
  await typed(ada, 'bindery push robots ada/robots --yes');
  const begun = await typed(ada, 'bindery library release ada/robots v1 --sign');
  expect(begun).toMatchObject({ code: 7 });
  expect(begun.stderr).toContain(
    '"bindery library signers ada/robots --allow <file>" allows a key. ada/robots@v1 is released and not signed. Run it again with --revision 1.',
  );
  expect(
    (await typed(ada, `bindery library signers ada/robots --allow ${key('id_ed25519.pub')}`)).stdout,
  ).toBe(`${fingerprint}\n`);
  expect((await typed(ada, 'bindery library release ada/robots v1 --sign --revision 1')).stdout).toContain(
    `Signed by ${fingerprint} in entry 1 of the signature log.\n`,
  );
  await typed(ada, 'bindery library release ada/robots unsigned');

  const verified = await typed(bob, 'bindery verify ada/robots@v1');
  expect(verified).toMatchObject({ code: 0 });
  expect(verified.stdout).toContain(`ada/robots@v1 (revision 1) is as ${fingerprint} signed it at `);
  expect(verified.stderr).toContain('This machine saw the log for the first time');
  const refused = await typed(bob, 'bindery verify ada/robots@unsigned');
  expect(refused).toEqual({
    code: 7,
    stdout: '',
    stderr: 'Error: ada/robots: Nobody has signed the release unsigned.\n',
  });

  await typed(bob, 'bindery pull ada/robots@v1 -o robots');
  expect((await typed(bob, 'bindery verify ada/robots@v1 robots')).stdout).toContain(
    '2 files (18 B) read, each as it was signed.\n',
  );
  writeFileSync(join(bob.home, 'robots/arm/mesh.stl'), 'solid axe');
  const edited = await typed(bob, 'bindery verify ada/robots@v1 robots');
  expect(edited).toMatchObject({ code: 7 });
  expect(edited.stderr).toContain('has others:\n  arm/mesh.stl');

  await typed(bob, 'bindery library export ada/robots@v1 stick');
  const offline = bob.with({ BINDERY_CACHE: 'off' });
  expect((await typed(offline, 'bindery verify ada/robots@v1 --mirror stick')).stdout).toContain('2 files');
  writeFileSync(join(bob.home, 'signers'), `ada/* ${readFileSync(key('new.pub'), 'utf8')}`);
  const untrusted = await typed(bob, 'bindery verify ada/robots@v1 --signers signers');
  expect(untrusted).toMatchObject({ code: 7 });
  expect(untrusted.stderr).toContain('is not among the trusted signers');

  writeFileSync(join(bob.home, 'assets.yml'), 'assets:\n  - ada/robots@v1/arm\n');
  expect(await typed(bob, 'bindery sync --require-signed')).toMatchObject({ code: 0 });
  expect(await typed(bob, 'bindery sync --frozen --require-signed --signers signers')).toMatchObject({
    code: 7,
  });

  await typed(ada, `bindery library signers ada/robots --allow ${key('new.pub')}`);
  await typed(
    ada,
    `bindery library signers ada/robots --revoke ${key('id_ed25519.pub')} --key ${key('new')}`,
  );
  const revoked = await typed(ada, 'bindery library release ada/robots v2 --sign');
  expect(revoked).toMatchObject({ code: 7 });
  expect(revoked.stderr).toContain(`had revoked ${fingerprint}, which signed entry 4, before`);
  expect(
    await typed(ada, `bindery library release ada/robots v2 --revision 1 --sign --key ${key('new')}`),
  ).toMatchObject({ code: 0 });
  expect(await typed(bob, 'bindery verify ada/robots@v2 --signers signers')).toMatchObject({ code: 0 });
  expect(await typed(bob, 'bindery verify ada/robots@v1')).toMatchObject({ code: 0 });

  await service.context.db.deleteFrom('signatures').where('entry', '>', 2).execute();
  const truncated = await typed(bob, 'bindery verify ada/robots@v1');
  expect(truncated).toEqual({
    code: 7,
    stdout: '',
    stderr: 'Error: ada/robots: The signature log has 3 entries, and this machine has seen 5 of them.\n',
  });
});

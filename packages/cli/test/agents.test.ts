import { afterAll, beforeAll, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import { createTerminalUser, type TerminalUser } from './command-line.ts';

let service: TestService;
let ada: TerminalUser;
beforeAll(async () => {
  service = await startService();
  const member = await service.member('ada');
  ada = (await createTerminalUser(service.url)).with({
    BINDERY_TOKEN: member.headers.authorization?.replace('Bearer ', '') ?? '',
  });
  await ada.run('namespace', 'create', 'acme');
  const arm = {
    id: 'arm',
    title: '6-dof arm',
    license: 'MIT',
    files: { 'arm/arm.xml': '<mujoco model="arm"/>' },
  };
  await publish(member, 'acme/robots', { assets: [arm] });
});
afterAll(async () => {
  await ada.dispose();
  await service.close();
});

test('every command in the guide for agents works as written and prints the keys that the guide names', async () => {
  const { stdout: guide } = await ada.run('agents');
  const shown = [...guide.matchAll(/`bindery ((?:library|search) [^`]+)`(?: prints\s+`([^`]+)`)?/g)];
  expect(shown.length).toBeGreaterThanOrEqual(6);
  for (const [, line = '', shape] of shown) {
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
    const { code, stdout, stderr } = await ada.run(...words);
    expect([line, code, stderr && code !== 0 ? stderr : '']).toEqual([line, 0, '']);
    if (shape === undefined) continue;
    const printed = keysOf(JSON.parse(stdout));
    for (const [key] of shape.matchAll(/\w+/g)) expect(printed, `${line}: ${key}`).toContain(key);
  }
});

/** The names of all keys within a value. */
function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
}

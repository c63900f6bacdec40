import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from '../../src/accounts/password.ts';

test('a salted hash matches its password in any Unicode composition, and no other password', async () => {
  const hash = await hashPassword('caf\u00e9 au lait');
  expect(hash).not.toContain('lait');
  expect(await verifyPassword(hash, 'cafe\u0301 au lait')).toBe(true);
  expect(await verifyPassword(hash, 'cafe au lait')).toBe(false);
  expect(await hashPassword('caf\u00e9 au lait')).not.toBe(hash);
});

test.each(['', 'plain', 'scrypt$1$2$3', 'bcrypt$1$8$1$AAAA$AAAA'])(
  'the malformed hash "%s" does not match an empty password',
  async (hash) => {
    expect(await verifyPassword(hash, '')).toBe(false);
  },
);

test('a password hash uses the scrypt cost that OWASP recommends', async () => {
  expect(await hashPassword('correct horse battery')).toMatch(/^scrypt\$32768\$8\$3\$/);
});

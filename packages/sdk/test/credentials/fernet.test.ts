import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decrypt, encrypt, FernetError, generateKey } from '../../src/credentials/encrypted-file.ts';
import { canRun } from './needed-programs.ts';
import { PYTHON, runs } from './secret-service-session.ts';

/** From the published vectors of the Fernet specification (generate.json). */
const VECTOR = {
  key: 'cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=',
  token:
    'gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLLF_5CV9dOPmrhuVUPgJobwOz7JcbmrR64jVmpU4IwqDA==',
  time: Date.parse('1985-10-26T01:20:00-07:00') / 1_000,
  iv: Uint8Array.from({ length: 16 }, (_, index) => index),
  message: 'hello',
};

const cryptography = canRun(
  "Fernet beside Python's cryptography",
  runs(PYTHON, ['-c', 'import cryptography']) ? [] : ["Python's cryptography"],
);

describe('Fernet', () => {
  test('encrypts the published test vector to its token', () => {
    const { key, message, time, iv, token } = VECTOR;
    expect(encrypt(key, Buffer.from(message), { time, iv })).toBe(token);
  });

  test('decrypts the token of the published test vector', () => {
    expect(decrypt(VECTOR.key, VECTOR.token).toString()).toBe('hello');
  });

  test('decrypts any message that it encrypted', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (message) => {
        const key = generateKey();
        expect(decrypt(key, encrypt(key, message))).toEqual(Buffer.from(message));
      }),
    );
  });

  test('refuses a token with any bit changed', () => {
    const sealed = Buffer.from(VECTOR.token, 'base64url');
    fc.assert(
      fc.property(fc.nat(sealed.length * 8 - 1), (bit) => {
        const changed = Buffer.from(sealed);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const token = changed.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
        expect(() => decrypt(VECTOR.key, token)).toThrow(FernetError);
      }),
    );
  });

  test.each([
    ['another key', generateKey(), VECTOR.token],
    ['no key', '', VECTOR.token],
    ['a key without padding', VECTOR.key.slice(0, -1), VECTOR.token],
    ['a token that is too short', VECTOR.key, VECTOR.token.slice(0, 96)],
    ['a token that is not base64', VECTOR.key, `%%%%${VECTOR.token.slice(4)}`],
    ['no token', VECTOR.key, ''],
  ])('refuses %s', (_, key, token) => {
    expect(() => decrypt(key, token)).toThrow(FernetError);
  });
});

describe.runIf(cryptography)("Fernet and Python's cryptography", () => {
  const python = (program: string, ...args: string[]) =>
    execFileSync(PYTHON, ['-c', `from cryptography.fernet import Fernet; import sys; ${program}`, ...args], {
      encoding: 'utf8',
    }).trim();

  test('Python decrypts what Bindery encrypts', () => {
    const key = generateKey();
    const token = encrypt(key, Buffer.from('grüße'));
    const program = 'print(ascii(Fernet(sys.argv[1].encode()).decrypt(sys.argv[2].encode()).decode()))';
    expect(python(program, key, token)).toBe("'gr\\xfc\\xdfe'");
  });

  test('Bindery decrypts what Python encrypts', () => {
    const key = python('print(Fernet.generate_key().decode())');
    const program = 'print(Fernet(sys.argv[1].encode()).encrypt(sys.argv[2].encode()).decode())';
    expect(decrypt(key, python(program, key, 'a message')).toString()).toBe('a message');
  });
});

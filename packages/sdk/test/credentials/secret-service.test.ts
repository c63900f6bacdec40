import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { encryptedFile } from '../../src/credentials/encrypted-file.ts';
import { secretService } from '../../src/credentials/keychains.ts';
import { clearStoredToken, readStoredToken, storeToken } from '../../src/credentials/stored-login.ts';
import type { TokenStore } from '../../src/credentials/token-store.ts';
import { canRun } from './needed-programs.ts';
import { type KeyringSession, missingForKeyring, openKeyringSession } from './secret-service-session.ts';

const READ = 'import keyring; print(keyring.get_password("bindery", "bindery-token"))';
const WRITE = 'import keyring, sys; keyring.set_password("bindery", "bindery-token", sys.argv[1])';
const COUNT = `
import secretstorage
bus = secretstorage.dbus_init()
print(len(list(secretstorage.search_items(bus, {"service": "bindery"}))))`;

describe.runIf(canRun('The Secret Service', missingForKeyring()))('the Secret Service', () => {
  let session: KeyringSession;
  let place: TokenStore;
  let folder: string;
  beforeAll(async () => {
    session = await openKeyringSession();
    place = secretService(session.environment);
  });
  afterAll(() => session.close());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bindery-config-'));
  });
  afterEach(async () => {
    await place.clear();
    await rm(folder, { recursive: true });
  });

  test('holds nothing before a login', async () => {
    expect(await place.read()).toBeNull();
    expect(await place.clear()).toBe(false);
  });

  test("returns to Python's keyring what Bindery wrote", async () => {
    await place.write('header.payload.signature');
    expect(session.python(READ)).toBe('header.payload.signature');
  });

  test("returns to Bindery what Python's keyring wrote", async () => {
    session.python(WRITE, 'from.python.side');
    expect(await place.read()).toBe('from.python.side');
  });

  test("replaces Python's entry instead of adding a second one", async () => {
    session.python(WRITE, 'old.python.token');
    await place.write('new.bindery.token');
    expect(session.python(READ)).toBe('new.bindery.token');
    expect(session.python(COUNT)).toBe('1');
  });

  test('has no token left for Python after Bindery clears it', async () => {
    await place.write('header.payload.signature');
    expect(await place.clear()).toBe(true);
    expect(session.python(READ)).toBe('None');
  });

  test('stores a login in preference to the encrypted file, which is deleted', async () => {
    const warnings: string[] = [];
    const storage = { folder, environment: session.environment, warn: (text: string) => warnings.push(text) };
    await encryptedFile(folder).write('older.login.token');
    expect(await storeToken('new.login.token', storage)).toBe('the Secret Service');
    expect(await readdir(folder)).toEqual([]);
    expect((await readStoredToken(storage))?.token).toBe('new.login.token');
    expect(await clearStoredToken(storage)).toEqual(['the Secret Service']);
    expect(await readStoredToken(storage)).toBeNull();
    expect(warnings).toEqual([]);
  });

  test('is neither read nor written with BINDERY_NO_KEYCHAIN=1, but cleared by a logout', async () => {
    const environment = { ...session.environment, BINDERY_NO_KEYCHAIN: '1' };
    const storage = { folder, environment, warn: () => {} };
    await place.write('token.in.keychain');
    expect(await readStoredToken(storage)).toBeNull();
    expect(await storeToken('token.in.file', storage)).toContain('tokens.encrypted');
    expect(await place.read()).toBe('token.in.keychain');
    expect(await clearStoredToken(storage)).toHaveLength(2);
    expect(await place.read()).toBeNull();
  });
});

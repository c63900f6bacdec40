import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { encryptedFile, generateKey } from '../../src/credentials/encrypted-file.ts';
import { canRun } from './needed-programs.ts';
import { PYTHON, runs } from './secret-service-session.ts';

const cryptography = canRun(
  "The encrypted file beside Python's cryptography",
  runs(PYTHON, ['-c', 'import cryptography']) ? [] : ["Python's cryptography"],
);

let parent: string;
let folder: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'bindery-config-'));
  folder = join(parent, 'bindery');
});
afterEach(() => rm(parent, { recursive: true }));

const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe('the encrypted token file', () => {
  test('returns the last token written, and none after it is cleared', async () => {
    const place = encryptedFile(folder);
    expect(await place.read()).toBeNull();
    await place.write('first.token.kept');
    await place.write('second.token.kept');
    expect(await place.read()).toBe('second.token.kept');
    expect(await place.clear()).toBe(true);
    expect(await place.read()).toBeNull();
    expect(await readdir(folder)).toEqual([]);
    expect(await place.clear()).toBe(false);
  });

  test('is accessible to its owner alone, as are its key and its folder', async () => {
    await encryptedFile(folder).write('some.token.here');
    expect(await mode(folder)).toBe('700');
    expect((await readdir(folder)).sort()).toEqual(['encryption.key', 'tokens.encrypted']);
    expect(await mode(join(folder, 'tokens.encrypted'))).toBe('600');
    expect(await mode(join(folder, 'encryption.key'))).toBe('600');
  });

  test('holds the token only as Fernet ciphertext', async () => {
    await encryptedFile(folder).write('some.token.here');
    expect(await readFile(join(folder, 'tokens.encrypted'), 'utf8')).toMatch(/^gAAAA[A-Za-z0-9_-]+=*$/);
    expect(await readFile(join(folder, 'encryption.key'), 'utf8')).toMatch(/^[A-Za-z0-9_-]{43}=$/);
  });

  test('keeps one key and stays readable when many writes create it at once', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => encryptedFile(folder).write(`token.number.${index}`)),
    );
    expect(await encryptedFile(folder).read()).toMatch(/^token\.number\.\d+$/);
    expect((await readdir(folder)).sort()).toEqual(['encryption.key', 'tokens.encrypted']);
  });

  test('fails to read with the wrong key, and a new login keeps the old file aside', async () => {
    const place = encryptedFile(folder);
    await place.write('some.token.here');
    await writeFile(join(folder, 'encryption.key'), generateKey());
    await expect(place.read()).rejects.toThrow('tokens.encrypted cannot be decrypted');
    await place.write('new.token.here');
    expect(await place.read()).toBe('new.token.here');
    const names = await readdir(folder);
    expect(names.filter((name) => name.startsWith('tokens.encrypted.damaged-'))).toHaveLength(1);
  });

  test('can be cleared even if it cannot be decrypted', async () => {
    const place = encryptedFile(folder);
    await place.write('some.token.here');
    await writeFile(join(folder, 'encryption.key'), 'no key');
    expect(await place.clear()).toBe(true);
    expect(await place.read()).toBeNull();
  });
});

describe.runIf(cryptography)("the encrypted token file and Python's cryptography", () => {
  const prelude = `
import json, os, sys
from cryptography.fernet import Fernet
folder = sys.argv[1]
name = lambda file: os.path.join(folder, file)
`;
  const python = (program: string) =>
    execFileSync(PYTHON, ['-c', prelude + program, folder], { encoding: 'utf8' }).trim();

  test('Python decrypts a token that Bindery wrote', async () => {
    await encryptedFile(folder).write('header.payload.signature');
    const program = `
fernet = Fernet(open(name("encryption.key"), "rb").read())
print(json.dumps(json.loads(fernet.decrypt(open(name("tokens.encrypted"), "rb").read()))))`;
    expect(JSON.parse(python(program))).toEqual({ 'bindery-token': 'header.payload.signature' });
  });

  test('Bindery reads a token that Python wrote, and clearing it keeps other entries', async () => {
    const write = `
os.makedirs(folder)
key = Fernet.generate_key()
open(name("encryption.key"), "wb").write(key)
tokens = json.dumps({"bindery-token": "from.python.side", "other": "kept"}).encode()
open(name("tokens.encrypted"), "wb").write(Fernet(key).encrypt(tokens))`;
    python(write);
    const place = encryptedFile(folder);
    expect(await place.read()).toBe('from.python.side');
    expect(await place.clear()).toBe(true);
    const read = `
fernet = Fernet(open(name("encryption.key"), "rb").read())
print(json.dumps(json.loads(fernet.decrypt(open(name("tokens.encrypted"), "rb").read()))))`;
    expect(JSON.parse(python(read))).toEqual({ other: 'kept' });
  });
});

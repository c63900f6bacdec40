import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createPrivateFile, readIfExists, renameDamaged, writePrivateFile } from './private-files.ts';
import { ACCOUNT_NAME, type TokenStore, TokenStoreUnavailableError } from './token-store.ts';

/** `tokens.encrypted`: one Fernet token over a JSON object by account name. Its key is in `encryption.key`. */
export function encryptedFile(folder: string, account = ACCOUNT_NAME): TokenStore {
  const tokensPath = join(folder, 'tokens.encrypted');
  const keyPath = join(folder, 'encryption.key');

  async function readAll(): Promise<Record<string, unknown>> {
    const sealed = await readIfExists(tokensPath);
    if (sealed === null) return {};
    const key = (await readIfExists(keyPath))?.trim() ?? '';
    try {
      const value: unknown = JSON.parse(decrypt(key, sealed.trim()).toString('utf8'));
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
    } catch (error) {
      if (!(error instanceof FernetError || error instanceof SyntaxError)) throw error;
    }
    throw new TokenStoreUnavailableError('refused', `${tokensPath} cannot be decrypted with ${keyPath}.`);
  }

  async function writeAll(tokens: Record<string, unknown>): Promise<void> {
    await writePrivateFile(tokensPath, `${encrypt(await obtainKey(), Buffer.from(JSON.stringify(tokens)))}`);
  }

  /** Returns the key on disk, or creates one. Processes that create it at the same time all get the same. */
  async function obtainKey(): Promise<string> {
    const there = (await readIfExists(keyPath))?.trim();
    if (there !== undefined && isKey(there)) return there;
    if (there !== undefined) await renameDamaged(keyPath);
    const made = generateKey();
    if (await createPrivateFile(keyPath, made)) return made;
    return ((await readIfExists(keyPath)) ?? '').trim();
  }

  return {
    name: `the encrypted file ${tokensPath}`,
    kind: 'file',
    async read() {
      const token = (await readAll())[account];
      return typeof token === 'string' && token !== '' ? token : null;
    },
    async write(token) {
      const others = await readAll().catch(async (error: unknown) => {
        if (!(error instanceof TokenStoreUnavailableError)) throw error;
        await renameDamaged(tokensPath);
        return {};
      });
      await writeAll({ ...others, [account]: token });
    },
    async clear() {
      const all = await readAll().catch(() => null);
      if (all === null) {
        await rm(tokensPath, { force: true });
        return true;
      }
      const { [account]: token, ...others } = all;
      if (token === undefined) return false;
      if (Object.keys(others).length > 0) {
        await writeAll(others);
      } else {
        await rm(tokensPath, { force: true });
        await rm(keyPath, { force: true });
      }
      return true;
    },
  };
}

/** Fernet (https://github.com/fernet/spec): AES-128 in CBC mode with PKCS#7, then HMAC-SHA256 over everything before it. */
const VERSION = 0x80;
const HEADER = 1 + 8 + 16;
const MAC = 32;

/** A key of another length, or a token that was not made with this key. */
export class FernetError extends Error {}

/** Returns 32 random bytes as padded base64url. */
export function generateKey(): string {
  return toBase64Url(randomBytes(32));
}

function isKey(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}=$/.test(text);
}

/** `time` is in seconds since 1970; `iv` is 16 bytes. Only tests of published vectors pass them. */
export function encrypt(
  key: string,
  message: Uint8Array,
  { time = Math.floor(Date.now() / 1_000), iv = randomBytes(16) }: { time?: number; iv?: Uint8Array } = {},
): string {
  const { signing, encryption } = splitKey(key);
  const header = Buffer.alloc(9);
  header.writeUInt8(VERSION, 0);
  header.writeBigUInt64BE(BigInt(time), 1);
  const cipher = createCipheriv('aes-128-cbc', encryption, iv);
  const signed = Buffer.concat([header, iv, cipher.update(message), cipher.final()]);
  return toBase64Url(Buffer.concat([signed, mac(signing, signed)]));
}

/** Returns the message of a token, whatever its age. Throws `FernetError` for any token that is not intact. */
export function decrypt(key: string, token: string): Buffer {
  const { signing, encryption } = splitKey(key);
  const bytes = fromBase64Url(token);
  const cipherLength = bytes.length - HEADER - MAC;
  if (cipherLength < 16 || cipherLength % 16 !== 0 || bytes[0] !== VERSION) {
    throw new FernetError('This is not a Fernet token.');
  }
  const signed = bytes.subarray(0, -MAC);
  if (!timingSafeEqual(mac(signing, signed), bytes.subarray(-MAC))) {
    throw new FernetError('The token was encrypted with another key, or was changed.');
  }
  const decipher = createDecipheriv('aes-128-cbc', encryption, signed.subarray(9, HEADER));
  try {
    return Buffer.concat([decipher.update(signed.subarray(HEADER)), decipher.final()]);
  } catch {
    throw new FernetError('The token is padded wrongly.');
  }
}

function splitKey(key: string): { signing: Buffer; encryption: Buffer } {
  if (!isKey(key)) throw new FernetError('A Fernet key is 32 bytes as padded base64url.');
  const bytes = Buffer.from(key, 'base64url');
  return { signing: bytes.subarray(0, 16), encryption: bytes.subarray(16) };
}

function mac(key: Buffer, signed: Uint8Array): Buffer {
  return createHmac('sha256', key).update(signed).digest();
}

function toBase64Url(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}

function fromBase64Url(text: string): Buffer {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9_-]*={0,2}$/.test(text)) {
    throw new FernetError('The token is not padded base64url.');
  }
  return Buffer.from(text, 'base64url');
}

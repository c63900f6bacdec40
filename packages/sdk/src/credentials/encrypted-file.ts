import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { decrypt, encrypt, FernetError, generateKey, isKey } from './fernet.ts';
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

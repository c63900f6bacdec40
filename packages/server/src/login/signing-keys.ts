import { randomUUID } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { MACHINE } from '../access/viewer.ts';
import { actorOf, recordAudit } from '../audit/audit-log.ts';
import type { DatabaseContext } from '../context.ts';
import { getOrCreateSetting } from '../database/settings.ts';

/** The algorithm that signs tokens; verification accepts no other. */
export const ALGORITHM = 'EdDSA';

const SETTING = 'signing_keys';

/**
 * How long a process uses the keys that it read, and how old they must be for an unknown id to cause another read;
 * milliseconds.
 */
const REREAD_AFTER = 60_000;
const MIN_REREAD_INTERVAL = 1_000;

interface StoredKey {
  kid: string;
  /** Private JWK; the public half is part of it. */
  jwk: JWK;
  createdAt: number;
}

interface SigningKey {
  kid: string;
  private: CryptoKey;
  public: CryptoKey;
}

/**
 * The keys that sign and verify tokens, stored in `settings` and shared by all replicas. The newest signs; the others
 * verify until the tokens that they signed have expired.
 */
interface SigningKeys {
  newest(): Promise<SigningKey>;
  /** Returns the key to verify with, or null if the id is not, or no longer, one of this service's. */
  publicKey(kid: string): Promise<CryptoKey | null>;
}

export function createSigningKeys({ db, clock }: DatabaseContext): SigningKeys {
  let keys: Promise<SigningKey[]> | undefined;
  let readAt = 0;

  function current(maxAge = REREAD_AFTER): Promise<SigningKey[]> {
    if (keys === undefined || clock() - readAt > maxAge) {
      readAt = clock();
      keys = readKeys({ db, clock });
      keys.catch(() => {
        keys = undefined;
      });
    }
    return keys;
  }

  return {
    newest: async () => newestOf(await current()),
    publicKey: async (kid) => {
      const key = findKey(await current(), kid) ?? findKey(await current(MIN_REREAD_INTERVAL), kid);
      return key?.public ?? null;
    },
  };
}

/**
 * Adds a key that signs new tokens. Tokens of the previous `keep` keys stay valid, those of older keys become invalid.
 * Running services follow within a minute.
 */
export async function rotateSigningKey(
  { db, clock }: DatabaseContext,
  { keep = 1 }: { keep?: number } = {},
): Promise<string> {
  const stored = await readStoredKeys({ db, clock });
  const fresh = await makeKey(clock());
  const value = JSON.stringify([fresh, ...stored.slice(0, keep)]);
  await db.transaction().execute(async (trx) => {
    await trx.updateTable('settings').set({ value }).where('key', '=', SETTING).execute();
    await recordAudit(trx, clock(), actorOf(MACHINE), { action: 'signing-key.rotate', target: fresh.kid });
  });
  return fresh.kid;
}

async function readKeys(context: DatabaseContext): Promise<SigningKey[]> {
  const stored = await readStoredKeys(context);
  return Promise.all(
    stored.map(async ({ kid, jwk }) => {
      const { d: _secret, ...publicJwk } = jwk;
      return {
        kid,
        private: (await importJWK(jwk, ALGORITHM)) as CryptoKey,
        public: (await importJWK(publicJwk, ALGORITHM)) as CryptoKey,
      };
    }),
  );
}

async function readStoredKeys({ db, clock }: DatabaseContext): Promise<StoredKey[]> {
  const text = await getOrCreateSetting(db, SETTING, async () => JSON.stringify([await makeKey(clock())]));
  return JSON.parse(text) as StoredKey[];
}

async function makeKey(createdAt: number): Promise<StoredKey> {
  const pair = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  return { kid: randomUUID(), jwk: await exportJWK(pair.privateKey), createdAt };
}

function findKey(keys: SigningKey[], kid: string): SigningKey | undefined {
  return keys.find((key) => key.kid === kid);
}

function newestOf(keys: SigningKey[]): SigningKey {
  const [newest] = keys;
  if (!newest) throw new Error('There is no signing key.');
  return newest;
}

import { type ImportPass, type ImportPasses, viewerOfPass } from '../access/import-pass.ts';
import type { DatabaseContext } from '../context.ts';
import { hashSecret, randomSecret } from '../secrets.ts';
import { loadAccount } from './accounts.ts';

/** How tokens of running imports begin. */
export const PASS_PREFIX = 'bnp_';

/** Keeps passes in the memory of this process, so that they end with it. */
export function createImportPasses({ db, clock }: DatabaseContext): ImportPasses {
  const passes = new Map<string, ImportPass>();
  return {
    issue(pass) {
      const token = PASS_PREFIX + randomSecret();
      const key = hashSecret(token);
      passes.set(key, pass);
      return { token, [Symbol.dispose]: () => passes.delete(key) };
    },
    async viewerOf(token) {
      const pass = passes.get(hashSecret(token));
      if (pass === undefined || pass.expiresAt <= clock()) return null;
      const account = await loadAccount(db, pass.accountId);
      if (account === undefined || account.disabled_at !== null) return null;
      return viewerOfPass(pass, account.user_name);
    },
  };
}

import type { LibraryAddress } from './libraries.ts';
import type { AccountViewer } from './viewer.ts';

/** What a running import may do: publish to one library, as one account. */
export interface ImportPass {
  accountId: string;
  namespaceId: string;
  library: LibraryAddress;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** The tokens of running imports. Each ends when it is disposed of. */
export interface ImportPasses {
  issue(pass: ImportPass): { token: string } & Disposable;
  /** Returns the account that an import publishes as, or null for what is no pass, or not any more. */
  viewerOf(token: string): Promise<AccountViewer | null>;
}

/** An account as it publishes with a pass. */
export function viewerOfPass(pass: ImportPass, userName: string): AccountViewer {
  return {
    kind: 'account',
    accountId: pass.accountId,
    userName,
    scope: 'write',
    boundNamespaceId: pass.namespaceId,
    token: { kind: 'personal', id: '', expiresAt: pass.expiresAt, passFor: pass.library },
    shareToken: null,
  };
}

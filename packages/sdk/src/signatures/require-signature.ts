import {
  fingerprintOf,
  type ReleaseSignature,
  SignatureError,
  type SignatureLog,
} from '@bindery/contract/signatures';
import { refusing } from './read-log.ts';
import type { TrustedSigners } from './trusted-signers.ts';

/** What must be signed: a release, or any that has this manifest. */
export interface Signable {
  release?: string | undefined;
  /** Null: whatever was signed. */
  manifestSha256: string | null;
}

/** Returns the signature of a release. Throws `SignatureRefusedError`, also if the signer is not among those trusted. */
export function requireSignature(
  log: SignatureLog,
  { release, manifestSha256 }: Signable,
  signers?: TrustedSigners,
): ReleaseSignature {
  return refusing(log.library, () => {
    const found = release === undefined ? log.releaseWith(manifestSha256 ?? '') : log.release(release);
    if (found === undefined) throw new SignatureError('unsigned', unsigned(log, release));
    if (manifestSha256 !== null && found.manifest.sha256 !== manifestSha256) {
      const signer = fingerprintOf(found.key);
      const message = `The contents of ${found.name} are not those that ${signer} signed in entry ${found.entry}.`;
      throw new SignatureError('other_contents', message);
    }
    if (signers && !signers.some(({ signs, key }) => key === found.key && signs(log.library))) {
      const message = `${fingerprintOf(found.key)}, which signed ${found.name}, is not among the trusted signers.`;
      throw new SignatureError('untrusted_signer', message);
    }
    return found;
  });
}

function unsigned({ entries }: SignatureLog, release: string | undefined): string {
  if (entries.length === 0) return 'Nobody has signed anything of this library.';
  return release === undefined
    ? 'This revision is of no release that is signed.'
    : `Nobody has signed the release ${release}.`;
}

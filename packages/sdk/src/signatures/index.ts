/** Signatures of releases: making them, and proving by them what a service, a mirror or a folder has. */

export { fingerprintOf } from '@bindery/contract/signatures';
export { type KnownLog, readSignatureLog } from './read-log.ts';
export { type SignOptions, signEntry } from './sign.ts';
export { parseTrustedSigners, type RequiredSignature, type TrustedSigners } from './trusted-signers.ts';
export { type VerifyResult, verifyRelease } from './verify-release.ts';

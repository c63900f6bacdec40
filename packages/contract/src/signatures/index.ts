export * from './signature-error.ts';
export * from './signature-log.ts';
export { fingerprintOf, SIGNATURE_NAMESPACE } from './ssh-signature.ts';
export { formatTime, parseStatement, type SignedAction, type SignedRelease } from './statement.ts';

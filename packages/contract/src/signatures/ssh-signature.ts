import { createPublicKey, hash, verify } from 'node:crypto';
import { SignatureError } from './signature-error.ts';

/** The namespace of the signatures: what OpenSSH calls `-n`. A signature for another purpose has another. */
export const SIGNATURE_NAMESPACE = 'bindery';

const MAGIC = 'SSHSIG';
const KEY_TYPE = 'ssh-ed25519';
const ARMOR = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]{1,1000})\n-----END SSH SIGNATURE-----\n$/;

/**
 * Verifies a signature of OpenSSH (`ssh-keygen -Y sign`) with an Ed25519 key, and returns the key as `ssh-ed25519 AAAA…`.
 * Whether the key may sign is for the caller to decide. One that `isVerified` is only read. Throws `SignatureError`.
 */
export function verifySshSignature(
  message: string,
  armored: string,
  { isVerified = false }: { isVerified?: boolean } = {},
): string {
  const blob = new Fields(Buffer.from(ARMOR.exec(armored)?.[1] ?? '', 'base64'));
  if (blob.bytes(MAGIC.length).toString('latin1') !== MAGIC || blob.number() !== 1) throw malformed();
  const key = blob.field();
  const namespace = blob.text();
  const reserved = blob.field();
  const algorithm = blob.text();
  const signature = new Fields(blob.field());
  if (signature.text() !== KEY_TYPE || (algorithm !== 'sha512' && algorithm !== 'sha256')) throw malformed();
  const bytes = signature.field();
  blob.end();
  signature.end();
  if (namespace !== SIGNATURE_NAMESPACE) {
    throw new SignatureError('other_purpose', 'A signature of the log was made for another purpose.');
  }
  const digest = hash(algorithm, message, 'buffer');
  const parts = [Buffer.from(namespace), reserved, Buffer.from(algorithm), digest];
  const signed = Buffer.concat([Buffer.from(MAGIC), ...parts.flatMap(asField)]);
  if (!isVerified && !verify(null, signed, publicKeyOf(key), bytes)) {
    throw new SignatureError('wrong_signature', 'A signature of the log does not match its statement.');
  }
  return `${KEY_TYPE} ${key.toString('base64')}`;
}

/** Returns the fingerprint of a key as `ssh-keygen -l` prints it: `SHA256:…`. */
export function fingerprintOf(key: string): string {
  const blob = Buffer.from(key.split(' ')[1] ?? '', 'base64');
  return `SHA256:${hash('sha256', blob, 'base64').replace(/=+$/, '')}`;
}

function publicKeyOf(blob: Buffer) {
  const fields = new Fields(blob);
  if (fields.text() !== KEY_TYPE) throw malformed();
  const x = fields.field();
  fields.end();
  if (x.length !== 32) throw malformed();
  return createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url') },
    format: 'jwk',
  });
}

function asField(bytes: Buffer): Buffer[] {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return [length, bytes];
}

/** Reads what SSH writes: numbers of four bytes, and strings that begin with their length. */
class Fields {
  #rest: Buffer;

  constructor(bytes: Buffer) {
    this.#rest = bytes;
  }

  bytes(length: number): Buffer {
    if (this.#rest.length < length) throw malformed();
    const found = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return found;
  }

  number(): number {
    return this.bytes(4).readUInt32BE();
  }

  field(): Buffer {
    return this.bytes(this.number());
  }

  text(): string {
    return this.field().toString('latin1');
  }

  end(): void {
    if (this.#rest.length > 0) throw malformed();
  }
}

function malformed(): SignatureError {
  return new SignatureError(
    'malformed_signature',
    'A signature of the log is not one that OpenSSH makes with an Ed25519 key.',
  );
}

/** Names of files that hold keys or passwords and nothing else. Names that a model or a licence may have are not among them. */
const SECRET_NAMES =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|[._]netrc|\.env(?:\..+)?|\.git-credentials|\.pgpass|\.htpasswd|\.npmrc|\.pypirc|credentials(?:\.(?:json|ya?ml|toml|ini|csv))?|client_secret[\w.-]*\.json|service[-_]account[\w.-]*\.json|.+\.(?:ppk|p12|pfx|jks|keystore|kdbx))$/i;
const KEY_NAMES = /\.(?:pem|key)$/i;
const PRIVATE_KEY = /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/;
/** A chain of certificates may come before the key. */
const KEY_BYTES = 64 * 1024;

export function isSecretName(name: string): boolean {
  return SECRET_NAMES.test(name);
}

export function mayHoldPrivateKey(path: string): boolean {
  return KEY_NAMES.test(path);
}

/** `read` returns the first bytes of the file. */
export function holdsPrivateKey(read: (length: number) => Uint8Array): boolean {
  return PRIVATE_KEY.test(new TextDecoder('latin1').decode(read(KEY_BYTES)));
}

import { readFileSync } from 'node:fs';

let isRead = false;

/**
 * Also trusts the authorities in `SSL_CERT_FILE`, as curl and Python do, before `server` is connected to over TLS. Node
 * itself reads `NODE_EXTRA_CA_CERTS` only, and cannot be told more before 22.19.
 */
export function trustCertificateFile(
  server: string,
  { SSL_CERT_FILE: path }: NodeJS.ProcessEnv,
  warn: (text: string) => void,
): void {
  const tls = process.getBuiltinModule('node:tls');
  if (isRead || !path || !server.startsWith('https:') || !('setDefaultCACertificates' in tls)) return;
  isRead = true;
  try {
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), readFileSync(path, 'utf8')]);
  } catch (error) {
    warn(`SSL_CERT_FILE is not used: ${error instanceof Error ? error.message : String(error)}`);
  }
}

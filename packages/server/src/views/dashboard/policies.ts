import type { Context } from '../../context.ts';

type PolicyParts = Pick<Context, 'publicUrl' | 'storageOrigin'>;

/** The origins of presigned URLs: there may be a proxy in front of the service, and a bucket has its own origin. */
function originsOf({ publicUrl, storageOrigin }: PolicyParts): string {
  const { origin } = new URL(publicUrl());
  return storageOrigin === null ? origin : `${origin} ${storageOrigin}`;
}

/**
 * The app's policy. Only its own scripts run, and no text ever becomes script (Trusted Types); the only Trusted Types
 * policy starts its own worker. Files of assets come from presigned URLs.
 */
export function appPolicy(context: PolicyParts): string {
  const origins = originsOf(context);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' ${origins} blob: data:`,
    `connect-src 'self' ${origins}`,
    "worker-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types bindery-worker',
  ].join('; ');
}

/** The policy of the app's workers, set by the response of their script. They reach the service and presigned URLs. */
export function workerPolicy(context: PolicyParts): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `connect-src 'self' ${originsOf(context)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** Hashes of all that runs in the frame that shows an asset, as recorded by its build. */
export interface ViewerHashes {
  scripts: readonly string[];
  styles: readonly string[];
}

/**
 * The policy of the frame that shows an asset. The sandbox gives it an opaque origin, without cookies. It runs the
 * scripts of its build, identified by hash wherever they come from, and cannot reach the network: the app passes it
 * everything it needs.
 */
export function viewerPolicy({ scripts, styles }: ViewerHashes): string {
  return [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src ${scripts.map(quoted).join(' ')} 'wasm-unsafe-eval'`,
    'worker-src blob:',
    `style-src ${styles.map(quoted).join(' ')}`,
    'img-src blob: data:',
    'media-src blob:',
    'connect-src blob: data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

const quoted = (hash: string) => `'${hash}'`;

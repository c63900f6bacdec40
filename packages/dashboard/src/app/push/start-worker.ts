import address from './push-worker.ts?worker&url';

/** Trusted Types as far as they are used here; the compiler's library does not know them, and not every browser has them. */
interface ScriptUrlPolicies {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string };
}

declare global {
  interface Window {
    readonly trustedTypes?: ScriptUrlPolicies;
  }
}

/** The only scripts that the app starts as workers are its own. */
const policy = window.trustedTypes?.createPolicy('bindery-worker', {
  createScriptURL(url) {
    if (new URL(url, location.href).origin === location.origin) return url;
    throw new TypeError(`${url} is no script of the dashboard.`);
  },
});

export function startWorker(): Worker {
  return new Worker(policy?.createScriptURL(address) ?? address, { name: 'push' });
}

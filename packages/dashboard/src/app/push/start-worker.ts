import address from './push-worker.ts?worker&url';

/** The part of Trusted Types used here; they are missing from the compiler's library and from some browsers. */
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

/** Allows only scripts of the app's own origin as workers. */
const policy = window.trustedTypes?.createPolicy('bindery-worker', {
  createScriptURL(url) {
    if (new URL(url, location.href).origin === location.origin) return url;
    throw new TypeError(`${url} is no script of the dashboard.`);
  },
});

export function startWorker(): Worker {
  return new Worker(policy?.createScriptURL(address) ?? address, { name: 'push' });
}

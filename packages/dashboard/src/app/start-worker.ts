import markdownWorker from '../markdown/markdown-worker.ts?worker&url';
import pushWorker from './push/push-worker.ts?worker&url';

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
    throw new TypeError(`${url} is not a script of the dashboard`);
  },
});

export const startPushWorker = (): Worker => start(pushWorker, 'push');

export const startMarkdownWorker = (): Worker => start(markdownWorker, 'markdown');

function start(address: string, name: string): Worker {
  return new Worker(policy?.createScriptURL(address) ?? address, { name });
}

/** Declares the module that `node-crypto.ts` replaces; the dashboard is compiled without Node's types. */
declare module 'node:crypto' {
  export { hash } from './node-crypto.ts';
}

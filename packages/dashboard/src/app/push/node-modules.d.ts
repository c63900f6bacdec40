/** What `node-crypto.ts` stands in for, for the compiler: this side has no types of Node. */
declare module 'node:crypto' {
  export { hash } from './node-crypto.ts';
}

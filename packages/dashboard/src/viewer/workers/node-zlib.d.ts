/** Declares the module that `zlib.ts` replaces; the dashboard is compiled without Node's types. */
declare module 'node:zlib' {
  export { constants, gunzipSync, inflateSync, zstdDecompressSync } from './zlib.ts';
}

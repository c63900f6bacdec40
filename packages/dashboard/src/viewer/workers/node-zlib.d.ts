/** What `zlib.ts` stands in for, for the compiler: this side has no types of Node. */
declare module 'node:zlib' {
  export { gunzipSync, zstdDecompressSync } from './zlib.ts';
}

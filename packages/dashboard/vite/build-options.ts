import { join } from 'node:path';
import type { BuildOptions } from 'vite';

/** The package's folder. */
export const root = join(import.meta.dirname, '..');

/** What both documents are built with. */
export const buildOptions: BuildOptions = {
  target: 'es2023',
  outDir: 'dist/browser',
  modulePreload: { polyfill: false },
  // A data: URL is no address that the policies allow.
  assetsInlineLimit: 0,
  reportCompressedSize: false,
  chunkSizeWarningLimit: 4_000,
};

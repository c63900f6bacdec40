import { join } from 'node:path';
import type { BuildOptions } from 'vite';

/** The package's folder. */
export const root = join(import.meta.dirname, '..');

/** Build options that the app and the viewer frame share. */
export const buildOptions: BuildOptions = {
  target: 'es2023',
  // Browsers with `light-dark()`, as the service's own pages need them: a replacement would ignore the theme switch.
  cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
  outDir: 'dist/browser',
  modulePreload: { polyfill: false },
  // The content security policies do not allow data: URLs.
  assetsInlineLimit: 0,
  reportCompressedSize: false,
  chunkSizeWarningLimit: 4_000,
};

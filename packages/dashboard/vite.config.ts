import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { buildOptions, root } from './vite/build-options.ts';
import { onlyInputs } from './vite/only-inputs.ts';
import { viewerCode } from './vite/viewer-code.ts';
import { withoutFormatParts } from './vite/without-format-parts.ts';

/** Builds the app. The viewer frame is built before it (`vite.viewer.config.ts`), into the same folder. */
export default defineConfig({
  root,
  base: '/app/',
  plugins: [react(), viewerCode(), withoutFormatParts('read', 'mechanism', 'write'), onlyInputs()],
  worker: {
    format: 'iife',
    plugins: () => [withoutFormatParts('read', 'mechanism', 'write'), onlyInputs()],
  },
  resolve: { alias: { 'node:crypto': `${root}/src/app/push/node-crypto.ts` } },
  build: {
    ...buildOptions,
    emptyOutDir: false,
    license: { fileName: 'THIRD-PARTY-LICENSES.md' },
    rolldownOptions: { input: 'index.html' },
  },
});

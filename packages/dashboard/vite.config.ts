import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { mujocoWithoutEval } from './vite/mujoco-without-eval.ts';
import { routesWithoutSchemas } from './vite/routes-without-schemas.ts';

/** Two documents: the app, and the frame in which assets are shown. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  plugins: [react(), routesWithoutSchemas()],
  // Frames of an opaque origin start classic workers from blobs, and no others.
  worker: { format: 'iife', plugins: () => [mujocoWithoutEval()] },
  resolve: {
    alias: {
      // Made for Node. Whole assets in glTF are read by three, which brings a decoder of its own.
      'draco3dgltf/draco_decoder_gltf_nodejs.js': `${import.meta.dirname}/src/viewer/workers/no-draco.ts`,
      'node:crypto': `${import.meta.dirname}/src/app/push/node-crypto.ts`,
      'node:zlib': `${import.meta.dirname}/src/viewer/workers/zlib.ts`,
    },
  },
  build: {
    target: 'es2023',
    outDir: 'dist/browser',
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    // A data: URL is no address that the policies allow.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4_000,
    license: { fileName: 'THIRD-PARTY-LICENSES.md' },
    rolldownOptions: { input: { index: 'index.html', viewer: 'viewer.html' } },
  },
});

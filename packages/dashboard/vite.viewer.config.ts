import { defineConfig } from 'vite';
import { buildOptions, root } from './vite/build-options.ts';
import { dracoWithoutUrls } from './vite/draco-without-urls.ts';
import { mujocoWithoutEval } from './vite/mujoco-without-eval.ts';
import { onlyInputs } from './vite/only-inputs.ts';
import { viewerDocument } from './vite/viewer-document.ts';

/** The frame in which assets are shown: a document without network, and the scripts that the app hands to it. */
export default defineConfig({
  root,
  base: '/app/',
  plugins: [dracoWithoutUrls(), viewerDocument(), onlyInputs()],
  // Frames of an opaque origin start classic workers from blobs, and no others.
  worker: { format: 'iife', plugins: () => [mujocoWithoutEval(), onlyInputs()] },
  resolve: {
    alias: {
      // Made for Node. Whole assets in glTF are read by three, which brings a decoder of its own.
      'draco3dgltf/draco_decoder_gltf_nodejs.js': `${root}/src/viewer/workers/no-draco.ts`,
      'node:zlib': `${root}/src/viewer/workers/zlib.ts`,
    },
  },
  build: {
    ...buildOptions,
    emptyOutDir: true,
    // Scripts come from the app, so there is nothing to preload.
    modulePreload: false,
    cssCodeSplit: false,
    license: { fileName: 'THIRD-PARTY-LICENSES.viewer.md' },
    rolldownOptions: {
      input: { boot: 'src/viewer/boot.ts', main: 'src/viewer/main.ts' },
      preserveEntrySignatures: 'strict',
      output: {
        format: 'cjs',
        exports: 'named',
        entryFileNames: 'assets/viewer-[name]-[hash].js',
        chunkFileNames: 'assets/viewer-[name]-[hash].js',
      },
    },
  },
});

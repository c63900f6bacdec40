import { defineConfig } from 'vite';
import { buildOptions, root } from './vite/build-options.ts';
import { dracoWithoutUrls } from './vite/draco-without-urls.ts';
import { mujocoWithoutEval } from './vite/mujoco-without-eval.ts';
import { onlyInputs } from './vite/only-inputs.ts';
import { viewerDocument } from './vite/viewer-document.ts';
import { withoutFormatParts } from './vite/without-format-parts.ts';

/** Builds the viewer frame: a document without network access, and the scripts that the app passes to it. */
export default defineConfig({
  root,
  base: '/app/',
  plugins: [
    dracoWithoutUrls(),
    viewerDocument(),
    withoutFormatParts('read', 'mechanism', 'write'),
    onlyInputs(),
  ],
  // Frames with an opaque origin can only start classic workers, and only from blob URLs.
  worker: {
    format: 'iife',
    plugins: () => [mujocoWithoutEval(), withoutFormatParts('write'), onlyInputs()],
  },
  resolve: {
    alias: {
      // This decoder is for Node only. Whole glTF assets are loaded by three, which has its own.
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

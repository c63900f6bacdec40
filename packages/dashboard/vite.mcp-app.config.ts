import { defineConfig } from 'vite';
import { buildOptions, root } from './vite/build-options.ts';
import { mcpAppDocument } from './vite/mcp-app-document.ts';
import { onlyInputs } from './vite/only-inputs.ts';
import { viewerCode } from './vite/viewer-code.ts';
import { withoutFormatParts } from './vite/without-format-parts.ts';

/** Builds the document that hosts of agents show: one file. The viewer frame is built before it, into the same folder. */
export default defineConfig({
  root,
  base: '/app/',
  plugins: [viewerCode(), mcpAppDocument(), withoutFormatParts('read', 'mechanism', 'write'), onlyInputs()],
  build: {
    ...buildOptions,
    emptyOutDir: false,
    modulePreload: false,
    license: { fileName: 'THIRD-PARTY-LICENSES.mcp-app.md' },
    rolldownOptions: {
      input: { 'mcp-app': 'src/mcp-app/main.ts' },
      output: { format: 'iife' },
    },
  },
});

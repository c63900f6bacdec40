import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { routesWithoutSchemas } from './vite/routes-without-schemas.ts';

/** Two documents: the app, and the frame in which assets are shown. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  plugins: [react(), routesWithoutSchemas()],
  worker: { format: 'iife' },
  build: {
    target: 'es2023',
    outDir: 'dist/browser',
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    // A data: URL is no address that the policies allow.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4_000,
    rolldownOptions: { input: { index: 'index.html', viewer: 'viewer.html' } },
  },
});

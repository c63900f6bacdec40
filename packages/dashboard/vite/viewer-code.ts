import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Plugin } from 'vite';
import { VIEWER_CODE } from './viewer-document.ts';

const NAME = 'virtual:viewer-code';
const RESOLVED = `\0${NAME}`;

/** Tells the app which files the frame's code is made of, as the frame's build before it wrote them down. */
export function viewerCode(): Plugin {
  let folder = '';
  return {
    name: 'viewer-code',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir);
    },
    resolveId: (id) => (id === NAME ? RESOLVED : null),
    load: async (id) =>
      id === RESOLVED ? `export default ${await readFile(resolve(folder, VIEWER_CODE), 'utf8')};` : null,
  };
}

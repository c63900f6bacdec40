import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Plugin } from 'vite';
import { VIEWER_CODE } from './viewer-document.ts';

const NAME = 'virtual:viewer-code';
const RESOLVED = `\0${NAME}`;

/** Provides the app with the list of the frame's code files, written by the frame's build, which runs first. */
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

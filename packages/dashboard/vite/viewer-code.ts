import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Plugin } from 'vite';
import { VIEWER_CODE, VIEWER_POLICY } from './viewer-document.ts';

/**
 * Provides what the frame's build, which runs first, has written: as `virtual:viewer-code` the list of its code files,
 * and as `virtual:viewer-document` its document for pages that cannot have it from the service. It states its policy
 * itself there.
 */
export function viewerCode(): Plugin {
  let folder = '';
  const read = (name: string) => readFile(resolve(folder, name), 'utf8');
  const modules: Readonly<Record<string, () => Promise<string>>> = {
    'virtual:viewer-code': () => read(VIEWER_CODE),
    'virtual:viewer-document': async () => {
      const { policy } = JSON.parse(await read(VIEWER_POLICY)) as { policy: string };
      const meta = `<meta http-equiv="content-security-policy" content="${policy}">`;
      return JSON.stringify((await read('viewer.html')).replace('<head>', () => `<head>\n${meta}`));
    },
  };
  return {
    name: 'viewer-code',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir);
    },
    resolveId: (id) => (id in modules ? `\0${id}` : null),
    async load(id) {
      const value = await modules[id.replace('\0', '')]?.();
      return value === undefined ? null : `export default ${value};`;
    },
  };
}

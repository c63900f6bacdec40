import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { root } from './build-options.ts';
import { fillDocument, takeStyles } from './viewer-document.ts';

/** Builds the document for hosts of agents, with its script and styles in it: such a document has no folder. */
export function mcpAppDocument(): Plugin {
  return {
    name: 'mcp-app-document',
    generateBundle: {
      // After the licences of what is in the script have been collected.
      order: 'post',
      async handler(_options, bundle) {
        const [script, ...more] = Object.values(bundle).filter((output) => output.type === 'chunk');
        if (script === undefined || more.length > 0) throw new Error('the document needs exactly one script');
        const template = await readFile(join(root, 'mcp-app.html'), 'utf8');
        const contents = { script: withoutTags(script.code), style: takeStyles(bundle) };
        delete bundle[script.fileName];
        const source = fillDocument(template, contents);
        this.emitFile({ type: 'asset', fileName: 'mcp-app.html', source });
      },
    },
  };
}

/** A script within a document must not have these, which are the same inside its strings. */
function withoutTags(code: string): string {
  return code.replaceAll(/<\/(script|style)/gi, '<\\/$1').replaceAll('<!--', '\\x3c!--');
}

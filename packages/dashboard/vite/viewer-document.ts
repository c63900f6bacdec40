import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';
import type { ViewerCode } from '../src/viewer-protocol.ts';
import { root } from './build-options.ts';

/** The list of the frame's code files: a `ViewerCode`. */
export const VIEWER_CODE = 'viewer-code.json';
/** The content security policy of the frame, without what only a response can state: `{ policy }`. */
export const VIEWER_POLICY = 'viewer-policy.json';

/**
 * Builds the frame's document and its scripts. The document contains the styles and `boot`, and no URL. All other
 * scripts are passed to it as text, which its policy allows by hash; so each is wrapped as
 * `define(name, (require, exports) => …)`, with `require.load(name)` in place of `import()`.
 */
export function viewerDocument(): Plugin {
  return {
    name: 'viewer-document',
    enforce: 'post',
    async generateBundle(_options, bundle) {
      const template = await readFile(join(root, 'viewer.html'), 'utf8');
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
      const [boot, main] = [entryNamed(chunks, 'boot'), entryNamed(chunks, 'main')];
      if (boot.imports.length > 0) throw new Error(`boot imports ${boot.imports.join(', ')}`);
      const scripts = chunks.filter((chunk) => chunk !== boot);
      boot.code = `((exports)=>{${boot.code}\n})({});`;
      for (const script of scripts) script.code = asDefinition(script);
      const styles = takeStyles(bundle);
      delete bundle[boot.fileName];

      const emit = (fileName: string, source: string) => this.emitFile({ type: 'asset', fileName, source });
      emit('viewer.html', fillDocument(template, { script: boot.code, style: styles }));
      emit(VIEWER_CODE, JSON.stringify(describe(main, scripts, bundle)));
      const scriptHashes = [boot, ...scripts].map(({ code }) => sourceHash(code));
      emit(VIEWER_POLICY, JSON.stringify({ policy: policyOf(scriptHashes, [sourceHash(styles)]) }));
    },
  };
}

/**
 * The frame runs the scripts of its build, identified by hash wherever they come from, and cannot reach the network: the
 * page passes it everything it needs.
 */
function policyOf(scripts: readonly string[], styles: readonly string[]): string {
  const quoted = (hashes: readonly string[]) => hashes.map((hash) => `'${hash}'`).join(' ');
  return [
    "default-src 'none'",
    `script-src ${quoted(scripts)} 'wasm-unsafe-eval'`,
    'worker-src blob:',
    `style-src ${quoted(styles)}`,
    'img-src blob: data:',
    'media-src blob:',
    'connect-src blob: data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function entryNamed(chunks: readonly Rolldown.OutputChunk[], name: string): Rolldown.OutputChunk {
  const entry = chunks.find((chunk) => chunk.isEntry && chunk.name === name);
  if (entry === undefined) throw new Error(`the frame has no entry ${name}`);
  return entry;
}

const DYNAMIC_IMPORT =
  /Promise\.resolve\(\)\.then\(\(\)\s*=>\s*(?:\/\*.*?\*\/\s*)?require\((["'`])\.\/([^"'`]+)\1\)\)/g;

function asDefinition({ fileName, code, dynamicImports }: Rolldown.OutputChunk): string {
  const loaded = new Set<string>();
  const body = code.replaceAll(DYNAMIC_IMPORT, (_all, _quote, name: string) => {
    loaded.add(name);
    return `require.load("./${name}")`;
  });
  const missed = dynamicImports.filter((name) => !loaded.has(basename(name)));
  if (missed.length > 0) throw new Error(`${fileName} imports ${missed.join(', ')} in an unknown manner`);
  return `define(${JSON.stringify(basename(fileName))},(require,exports)=>{${body}\n});`;
}

function describe(
  main: Rolldown.OutputChunk,
  scripts: readonly Rolldown.OutputChunk[],
  bundle: Rolldown.OutputBundle,
): ViewerCode {
  return {
    entry: basename(main.fileName),
    scripts: Object.fromEntries(
      scripts.map(({ fileName, imports }) => [
        basename(fileName),
        imports.filter((name) => name in bundle).map((name) => basename(name)),
      ]),
    ),
    files: Object.values(bundle)
      .filter(({ type, fileName }) => type === 'asset' && fileName.startsWith('assets/'))
      .map(({ fileName }) => basename(fileName)),
  };
}

export function takeStyles(bundle: Rolldown.OutputBundle): string {
  const sheets = Object.values(bundle).filter(
    (output) => output.type === 'asset' && output.fileName.endsWith('.css'),
  );
  for (const { fileName } of sheets) delete bundle[fileName];
  return sheets.map((sheet) => String((sheet as Rolldown.OutputAsset).source)).join('\n');
}

/** Inserts the texts into the template's empty elements. */
export function fillDocument(
  template: string,
  contents: Readonly<Record<'script' | 'style', string>>,
): string {
  return Object.entries(contents).reduce((html, [name, content]) => {
    const [before, after, ...more] = html.split(`<${name}></${name}>`);
    if (before === undefined || after === undefined || more.length > 0)
      throw new Error(`the document has no single empty <${name}>`);
    if (/<\/(?:script|style)|<!--/i.test(content)) throw new Error(`the ${name} would end within itself`);
    return `${before}<${name}>${content}</${name}>${after}`;
  }, template);
}

/** Returns the hash of a script or style in the notation of a content security policy. */
function sourceHash(source: string): string {
  return `sha256-${createHash('sha256').update(source).digest('base64')}`;
}

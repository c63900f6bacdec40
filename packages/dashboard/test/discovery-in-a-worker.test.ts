import { createServer } from 'node:http';
import { isBuiltin } from 'node:module';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build, type Plugin, type Rolldown } from 'vite';
import { expect, onTestFinished, test } from 'vitest';
import { discoverLibrary } from '../../sdk/src/local-discovery/discover-library.ts';
import { MIXED_LIBRARY } from '../../sdk/test/discovery/mixed-library.ts';
import { folderWith } from '../../sdk/test/folder.ts';
import { openPage } from '../../server/test/pages/browser.ts';
import { withoutFormatParts } from '../vite/without-format-parts.ts';
import { browserPath } from './dashboard.ts';

/** Replies to a list of files with the assets found in it, as JSON. */
const WORKER = `
import { discoverFiles, previewOf } from '@bindery/sdk/discovery';
const reader = new FileReaderSync();
onmessage = ({ data }) => {
  const read = (path, start, length) =>
    new Uint8Array(reader.readAsArrayBuffer(data.get(path).slice(start, start + length)));
  const files = [...data].map(([path, { size }]) => ({ path, size }));
  const found = discoverFiles(files, read);
  postMessage(JSON.stringify({ preview: previewOf(found), leftOut: found.leftOut }));
};`;

const FILES = {
  ...MIXED_LIBRARY,
  'Möbel: für alle/stuhl.urdf': '<robot name="stuhl"><link name="a"/></robot>',
  '椅子/chair.urdf': '<robot name="chair"><link name="a"/></robot>',
  'bindery.yml': 'assets: {arm: {title: The arm}}',
};

test.skipIf(browserPath === null)(
  'discovery in a browser worker finds the same assets in picked files as in their folder on disk',
  async () => {
    const found = discoverLibrary(folderWith(FILES));
    const { previewOf } = await import('@bindery/sdk/discovery');

    const picked = JSON.parse(
      await discoverInWorker({ ...FILES, '.git/config': 'x', '.git/HEAD': 'x', 'arm/Thumbs.db': 'x' }),
    );

    expect(picked.preview).toEqual(JSON.parse(JSON.stringify(previewOf(found))));
    expect(picked.preview.map(({ id }: { id: string }) => id)).toContain('Mobel-fur-alle');
    expect(picked.leftOut).toEqual([
      { path: '.git', reason: 'hidden' },
      { path: 'arm/Thumbs.db', reason: 'system file' },
      ...found.leftOut,
    ]);
  },
);

async function discoverInWorker(files: Record<string, string | Uint8Array>): Promise<string> {
  const script = await bundled(WORKER);
  const server = createServer((request, response) => {
    const isScript = request.url === '/worker.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html>');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  const page = await openPage();
  onTestFinished(() => page.close());
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const encoded = Object.entries(files).map(
    ([path, content]) => [path, Buffer.from(content).toString('base64')] as const,
  );
  return page.evaluate(async (listed) => {
    const worker = new Worker('/worker.js');
    const blobs = listed.map(
      ([path, base64]) => [path, new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))])] as const,
    );
    return new Promise<string>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
      worker.postMessage(new Map(blobs));
    });
  }, encoded);
}

/** Bundles for browsers into one file; rejects Node's built-in modules. */
async function bundled(source: string): Promise<string> {
  const plugin: Plugin = {
    name: 'source-without-node',
    enforce: 'pre',
    resolveId(id, importer) {
      if (isBuiltin(id)) throw new Error(`${importer} imports ${id}, which no browser has`);
      return id === ENTRY ? id : null;
    },
    load: (id) => (id === ENTRY ? source : null),
  };
  const output = (await build({
    configFile: false,
    logLevel: 'silent',
    root: fileURLToPath(new URL('..', import.meta.url)),
    plugins: [withoutFormatParts('read', 'mechanism', 'write'), plugin],
    build: {
      write: false,
      minify: false,
      rolldownOptions: { input: ENTRY, output: { format: 'iife' } },
    },
  })) as Rolldown.RolldownOutput;
  return output.output[0].code;
}

const ENTRY = 'virtual:worker';

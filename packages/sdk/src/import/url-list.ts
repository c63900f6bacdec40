import { readFile } from 'node:fs/promises';
import { ImportError } from '../failures.ts';
import type { SourceKind, UpstreamFile, UpstreamTree } from './upstream.ts';

/** Bytes of a list. */
const MAX_LIST = 64 * 2 ** 20;

/** A file on this machine that lists addresses: in each line the SHA-256, the address and, if it differs, the path. */
export const URL_LIST: SourceKind = {
  example: 'list:files.txt',
  parse(address) {
    const file = /^list:(.+)$/.exec(address)?.[1];
    if (file === undefined) return null;
    return {
      key: `list:${file}`,
      async open({ requests }): Promise<UpstreamTree> {
        const text = await readFile(file);
        if (text.length > MAX_LIST) throw new ImportError('source_refused', `${file} is longer than 64 MiB.`);
        return {
          ...{ source: file, revision: null, library: {}, folders: new Map(), leftOut: [] },
          files: text
            .toString('utf8')
            .split(/\r?\n/)
            .flatMap((line, at) => readLine(line, `${file}:${at + 1}`)),
          concurrency: 16,
          open: ({ url }, from, signal) => requests.open(url, from, { signal }),
          continues: async () => null,
          close: async () => {},
        };
      },
    };
  },
};

function readLine(line: string, place: string): UpstreamFile[] {
  if (line.trim() === '' || line.startsWith('#')) return [];
  const [hex = '', address = '', ...rest] = line.trim().split(/\s+/);
  if (!/^[0-9a-f]{64}$/i.test(hex) || !/^https?:\/\//.test(address) || !URL.canParse(address))
    throw new ImportError('source_invalid', `${place}: expected <sha256> <url> [<path>]`);
  const url = new URL(address);
  const path = rest.length > 0 ? rest.join(' ') : decodeURIComponent(url.pathname.slice(1));
  const sha256 = hex.toLowerCase();
  return [{ path, version: sha256, size: null, digest: { algorithm: 'sha256', hex: sha256 }, url: url.href }];
}

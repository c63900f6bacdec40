import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { percentDecoded } from '@bindery/formats';
import { ImportError } from '../failures.ts';
import { placeOf } from './requests.ts';
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
      address: () => null,
      async open({ requests }): Promise<UpstreamTree> {
        const text = await readFile(file);
        if (text.length > MAX_LIST) throw new ImportError('source_refused', `${file} is longer than 64 MiB.`);
        const lines = text
          .toString('utf8')
          .split(/\r?\n/)
          .flatMap((line, at) => readLine(line, `${file}:${at + 1}`));
        // An address may have a signature, which is not published.
        const addresses = new Map(lines.map(({ path, address }) => [path, address]));
        return {
          ...{
            source: `list:${basename(file)}`,
            revision: null,
            library: {},
            folders: new Map(),
            leftOut: [],
          },
          files: lines.map(
            ({ path, sha256, address }): UpstreamFile => ({
              ...{ path, version: sha256, size: null, url: placeOf(address) },
              digest: { algorithm: 'sha256', hex: sha256 },
            }),
          ),
          concurrency: 16,
          open: ({ path }, from, signal) => requests.open(addresses.get(path) ?? '', from, { signal }),
          continues: async () => null,
          close: async () => {},
        };
      },
    };
  },
};

function readLine(line: string, place: string): { path: string; sha256: string; address: string }[] {
  if (line.trim() === '' || line.startsWith('#')) return [];
  const [hex = '', address = '', ...rest] = line.trim().split(/\s+/);
  if (!/^[0-9a-f]{64}$/i.test(hex) || !/^https?:\/\//.test(address) || !URL.canParse(address))
    throw new ImportError('source_invalid', `${place}: expected <sha256> <url> [<path>]`);
  const path = rest.length > 0 ? rest.join(' ') : percentDecoded(new URL(address).pathname.slice(1));
  return [{ path, sha256: hex.toLowerCase(), address }];
}

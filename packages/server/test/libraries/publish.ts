import { createHash } from 'node:crypto';
import {
  type LibraryDetail,
  MANIFEST_PATH,
  MANIFEST_SCHEMA,
  type Manifest,
  type ManifestAsset,
  type ResponseOf,
  type routes,
} from '@bindery/contract';
import type { Actor } from '../actor.ts';
import { exchange } from '../exchange.ts';

/** An asset as a test writes it down: its files with their text, everything else as in the manifest. */
export type WrittenAsset = Omit<ManifestAsset, 'files'> & {
  files: Record<string, string | Uint8Array>;
};

export interface WrittenLibrary {
  library?: Manifest['library'];
  assets: WrittenAsset[];
  /** Platform artifacts with their bytes. */
  generated?: Record<string, string | Uint8Array>;
  visibility?: 'public' | 'private';
  share?: boolean;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** The bytes of the manifest of what a test wrote down. */
export function manifestBytes({ library, assets, generated }: WrittenLibrary): Bytes {
  return bytesOf(
    JSON.stringify(
      {
        schema: MANIFEST_SCHEMA,
        library,
        assets: assets.map(({ files, ...asset }) => ({
          ...asset,
          files: Object.entries(files).map(([path, text]) => ({
            path,
            size: bytesOf(text).length,
            sha256: sha256(bytesOf(text)),
          })),
        })),
        ...(generated ? { generated: Object.keys(generated) } : {}),
      },
      null,
      1,
    ),
  );
}

/** Publishes as a client does: announces, uploads, registers. `address` is `namespace/name`. */
export async function publish(
  actor: Actor,
  address: string,
  written: WrittenLibrary,
): Promise<LibraryDetail> {
  const [namespace, name] = address.split('/');
  const base = `/namespaces/${namespace}/libraries/${name}`;
  const manifest = manifestBytes(written);
  await upload(actor, base, {
    ...Object.assign({}, ...written.assets.map(({ files }) => files)),
    ...written.generated,
    [MANIFEST_PATH]: manifest,
  });
  const { status, body } = await actor.post<LibraryDetail>(`${base}/register`, {
    manifestSha256: sha256(manifest),
    visibility: written.visibility,
    share: written.share,
  });
  if (status > 201) throw new Error(`register answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

async function upload(actor: Actor, base: string, files: Record<string, string | Uint8Array>): Promise<void> {
  const contents = Object.entries(files).map(([path, content]) => ({ path, bytes: bytesOf(content) }));
  const { status, body } = await actor.post<ResponseOf<typeof routes.uploads.authorizeUploads>>(
    `${base}/upload-authorizations`,
    { files: contents.map(({ path, bytes }) => ({ relativePath: path, size: bytes.length })) },
  );
  if (status !== 200) throw new Error(`upload-authorizations answered ${status}: ${JSON.stringify(body)}`);
  for (const [at, { transfer }] of body.files.entries()) {
    if (transfer.kind !== 'single-put') throw new Error(`expected one address, got ${transfer.kind}`);
    const { url, headers } = transfer.put;
    const put = await exchange(url, { method: 'PUT', headers, body: contents[at]!.bytes });
    if (put.status >= 300) throw new Error(`the upload answered ${put.status}`);
  }
}

export function bytesOf(content: string | Uint8Array): Bytes {
  return Uint8Array.from(typeof content === 'string' ? Buffer.from(content) : content);
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

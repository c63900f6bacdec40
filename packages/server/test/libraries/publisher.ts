import { createHash } from 'node:crypto';
import { MANIFEST_PATH, MANIFEST_SCHEMA, type Transfer } from '@bindery/contract';
import type { Actor, ApiResponse } from '../actor.ts';
import { exchange } from '../exchange.ts';

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The manifest's entry for a file of this content. */
export function fileEntry(path: string, content: Uint8Array | string) {
  const bytes = Buffer.from(content);
  return { path, size: bytes.length, sha256: sha256(bytes) };
}

/** A small manifest with one asset per top folder (or loose file) of the given files. */
export function manifestOf(files: Record<string, string>, more: Record<string, unknown> = {}) {
  const assets = new Map<string, ReturnType<typeof fileEntry>[]>();
  for (const [path, content] of Object.entries(files)) {
    const id = path.split('/')[0] ?? path;
    assets.set(id, [...(assets.get(id) ?? []), fileEntry(path, content)]);
  }
  return {
    schema: MANIFEST_SCHEMA,
    assets: [...assets].map(([id, entries]) => ({ id, files: entries })),
    ...more,
  };
}

/** A member who publishes to one library over HTTP, step by step as the interface has it. */
export class Publisher {
  readonly actor: Actor;
  readonly path: string;

  constructor(actor: Actor, namespace: string, name: string) {
    this.actor = actor;
    this.path = `/namespaces/${namespace}/libraries/${name}`;
  }

  /** Uploads files by single put. */
  async upload(files: Record<string, string | Uint8Array>): Promise<void> {
    if (Object.keys(files).length === 0) return;
    const contents = Object.entries(files).map(([path, content]) => ({ path, bytes: Buffer.from(content) }));
    const { status, body } = await this.actor.post<{ files: { relativePath: string; transfer: Transfer }[] }>(
      `${this.path}/upload-authorizations`,
      { files: contents.map(({ path, bytes }) => ({ relativePath: path, size: bytes.length })) },
    );
    if (status !== 200) throw new Error(`upload-authorizations answered ${status} ${JSON.stringify(body)}`);
    await Promise.all(
      body.files.map(async ({ transfer }, at) => {
        if (transfer.kind !== 'single-put') throw new Error(`asked to transfer by ${transfer.kind}`);
        const { url, headers } = transfer.put;
        const answer = await exchange(url, { method: 'PUT', headers, body: contents[at]!.bytes });
        if (answer.status >= 300) throw new Error(`an upload answered ${answer.status}`);
      }),
    );
  }

  uploadManifest(manifest: unknown): Promise<void> {
    const text =
      typeof manifest === 'string' || manifest instanceof Uint8Array ? manifest : JSON.stringify(manifest);
    return this.upload({ [MANIFEST_PATH]: text });
  }

  register<Body = Record<string, unknown>>(body: unknown = {}): Promise<ApiResponse<Body>> {
    return this.actor.post<Body>(`${this.path}/register`, body);
  }

  /** Uploads files and their manifest, and registers them. */
  async publish<Body = Record<string, unknown>>(
    files: Record<string, string>,
    body: unknown = {},
  ): Promise<ApiResponse<Body>> {
    await this.upload(files);
    await this.uploadManifest(manifestOf(files));
    return this.register<Body>(body);
  }
}

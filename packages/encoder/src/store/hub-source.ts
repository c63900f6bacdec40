import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { DESCRIPTION_FILE, type ModelDescription, type ModelFile, parseDescription } from '../description.ts';
import { EncoderError } from '../errors.ts';
import type { HubRepository } from '../recipes.ts';
import { describeBareExport } from './folder-source.ts';
import type { HttpGet } from './http.ts';
import { type HubAddress, HubApi, type HubFile } from './hub-api.ts';
import { type ModelSource, writeAt } from './source.ts';

export interface HubOptions extends HubAddress {
  /** A commit, a branch or a tag. */
  revision: string;
  /** SHA-256 that files must have, by path, whatever the hub lists. */
  sha256?: HubRepository['sha256'];
}

/**
 * Reads a model from a hub repository at one commit: with a `model.json`, or the bare export of a model that is known
 * by name. Every file must match what the hub lists: large files by SHA-256, small ones by their git blob id.
 */
export function hubSource(options: HubOptions, get: HttpGet): ModelSource {
  return new HubSource(options, get);
}

/** Largest file stored in git itself, in bytes; the hub requires LFS from 10 MB on. */
const MAX_SMALL_FILE = 32 * 1_048_576;

class HubSource implements ModelSource {
  readonly #options: HubOptions;
  readonly #api: HubApi;
  /** Contents of the small files read so far, by git blob id. */
  readonly #small = new Map<string, Buffer>();
  #commit = '';
  /** The files of the model, by their names in its description. */
  #files = new Map<string, HubFile>();

  constructor(options: HubOptions, get: HttpGet) {
    this.#options = options;
    this.#api = new HubApi(options, get);
  }

  async describe(id: string): Promise<ModelDescription> {
    this.#commit = await this.#api.resolveRevision(this.#options.revision);
    const listed = new Map((await this.#api.listFiles(this.#commit)).map((file) => [file.path, file]));
    const described = listed.get(DESCRIPTION_FILE);
    const description = described
      ? await this.#readDescription(described, listed)
      : await this.#describeBare(id, listed);
    return { ...description, source: { repository: this.#options.repository, commit: this.#commit } };
  }

  async copy(
    file: ModelFile,
    part: FileHandle,
    offset: number,
    arrived: (bytes: number) => void,
  ): Promise<void> {
    const { path, blob } = this.#files.get(file.name) as HubFile;
    const bytes = this.#small.get(blob)?.subarray(offset);
    if (bytes === undefined) return this.#api.copy(this.#commit, path, file, part, offset, arrived);
    await writeAt(part, bytes, offset);
    arrived(bytes.length);
  }

  async #readDescription(
    described: HubFile,
    listed: ReadonlyMap<string, HubFile>,
  ): Promise<ModelDescription> {
    const { url: _elsewhere, ...description } = parseDescription(
      await this.#readSmall(described),
      `${DESCRIPTION_FILE} of ${this.#where}`,
    );
    for (const { name, size, sha256 } of description.files) {
      const file = listed.get(name);
      if (file === undefined) throw new EncoderError('missing', `${this.#where} has no ${name}.`);
      const measured = await this.#measure(file);
      if (measured.size !== size || measured.sha256 !== sha256) {
        throw new EncoderError('damaged', `${name} of ${this.#where} does not match its model.json.`);
      }
      this.#files.set(name, file);
    }
    return description;
  }

  async #describeBare(id: string, listed: ReadonlyMap<string, HubFile>): Promise<ModelDescription> {
    const at = (path: string) => listed.get(path) as HubFile;
    const { description, paths } = await describeBareExport(id, {
      where: this.#where,
      paths: [...listed.keys()],
      measure: (path) => this.#measure(at(path)),
    });
    for (const [name, path] of paths) this.#files.set(name, at(path));
    return description;
  }

  async #measure(file: HubFile): Promise<{ size: number; sha256: string }> {
    const sha256 = file.sha256 ?? hexOf('sha256', await this.#readSmall(file));
    const expected = this.#options.sha256?.[file.path] ?? sha256;
    if (sha256 === expected) return { size: file.size, sha256 };
    throw new EncoderError(
      'damaged',
      `${file.path} of ${this.#where} is not the expected file: its SHA-256 is ${sha256}, not ${expected}.`,
    );
  }

  /** Reads a small file in full: the hub lists no SHA-256 for it, so it must be computed. */
  async #readSmall(file: HubFile): Promise<Buffer> {
    const known = this.#small.get(file.blob);
    if (known !== undefined) return known;
    if (file.size > MAX_SMALL_FILE) {
      throw new EncoderError('damaged', `${file.path} of ${this.#where} is large, and has no SHA-256.`);
    }
    const bytes = await this.#api.read(this.#commit, file);
    if (hexOf('sha1', Buffer.from(`blob ${bytes.length}\0`), bytes) !== file.blob) {
      throw new EncoderError(
        'damaged',
        `${file.path} of ${this.#where} does not match the listing of the hub.`,
      );
    }
    this.#small.set(file.blob, bytes);
    return bytes;
  }

  get #where(): string {
    return `${this.#options.repository} at ${this.#commit}`;
  }
}

function hexOf(algorithm: 'sha1' | 'sha256', ...pieces: Buffer[]): string {
  const hash = createHash(algorithm);
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

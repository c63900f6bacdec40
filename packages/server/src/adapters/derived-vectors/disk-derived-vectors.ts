import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LIMITS, rowProblem, VECTORS_SCHEMA } from '@bindery/contract';
import type { Logger } from 'pino';
import { unlessMissing } from '../../objects/missing.ts';
import {
  DERIVED_FILES,
  type DerivedKey,
  type DerivedVectors,
  type VectorDraft,
} from '../../search/derived/derived-vectors.ts';

const DIMENSIONS = LIMITS.embedding.dimensions;
const ROW_BYTES = DIMENSIONS * Float32Array.BYTES_PER_ELEMENT;

/** The SHA-256 of the input of each row. */
const INPUTS = 'inputs';
const INPUT_BYTES = 32;

const DRAFT = '.draft';

const ROWS_AT_ONCE = 1_024;

/** Derived vectors in a folder: one folder for each library, with one for each revision and model. */
export class DiskDerivedVectors implements DerivedVectors {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #log: Logger;
  /** Whether the log says that there is no room. */
  #isFull = false;
  /** The folders of vectors and drafts, as paths below the folder, with the bytes of their rows. */
  readonly #known: Map<string, number>;

  /** @param maxBytes the size of all rows from which there is no room for more */
  static async open(
    folder: string,
    { maxBytes, log }: { maxBytes: number; log: Logger },
  ): Promise<DiskDerivedVectors> {
    const known = new Map<string, number>();
    for (const storeId of (await unlessMissing(readdir(folder))) ?? []) {
      for (const name of await readdir(join(folder, storeId))) {
        const matrix = await unlessMissing(stat(join(folder, storeId, name, DERIVED_FILES.matrix)));
        known.set(join(storeId, name), matrix?.size ?? 0);
      }
    }
    return new DiskDerivedVectors(folder, { maxBytes, log }, known);
  }

  private constructor(
    folder: string,
    { maxBytes, log }: { maxBytes: number; log: Logger },
    known: Map<string, number>,
  ) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#log = log;
    this.#known = known;
  }

  find(key: DerivedKey): string | null {
    const place = placeOf(key);
    return this.#known.has(place) ? join(this.#folder, place) : null;
  }

  async openDraft(key: DerivedKey): Promise<VectorDraft> {
    const place = placeOf(key);
    const beginning = join(key.storeId, `${nameOfVersion(key.version)}-`);
    const others = [...this.#known.keys()].filter(
      (other) => other.startsWith(beginning) && other !== place + DRAFT,
    );
    this.#known.set(place + DRAFT, 0);
    return DiskDraft.open(join(this.#folder, place), {
      others: others.map((other) => join(this.#folder, other)),
      finished: (bytes) => {
        this.#known.delete(place + DRAFT);
        this.#known.set(place, bytes);
      },
    });
  }

  hasRoom(): boolean {
    const isFull = this.#known.values().reduce((sum, bytes) => sum + bytes, 0) >= this.#maxBytes;
    if (isFull && !this.#isFull) {
      this.#log.warn({ folder: this.#folder }, 'there is no room for vectors of more libraries');
    }
    this.#isFull = isFull;
    return !isFull;
  }

  async keepOnly(keys: readonly DerivedKey[]): Promise<void> {
    const kept = new Set(keys.map(placeOf));
    for (const place of this.#known.keys()) {
      if (kept.has(place) || (place.endsWith(DRAFT) && kept.has(place.slice(0, -DRAFT.length)))) continue;
      this.#known.delete(place);
      await rm(join(this.#folder, place), { recursive: true, force: true });
      // Fails as long as the library has others.
      await rmdir(join(this.#folder, dirname(place))).catch(() => undefined);
    }
  }
}

function placeOf(key: DerivedKey): string {
  return join(key.storeId, `${nameOfVersion(key.version)}-${key.indexSha256}`);
}

/** The few versions of this process, which are asked for with every library. */
const names = new Map<string, string>();

/** Versions have any length, and may be no names of folders. */
function nameOfVersion(version: string): string {
  const known = names.get(version) ?? createHash('sha256').update(version).digest('hex').slice(0, 16);
  names.set(version, known);
  return known;
}

class DiskDraft implements VectorDraft {
  readonly #folder: string;
  readonly #matrix: FileHandle;
  readonly #inputs: FileHandle;
  readonly #finished: (bytes: number) => void;
  /** By input. */
  readonly #rows = new Map<string, number>();
  /** Where rows of other folders are, by input. */
  readonly #elsewhere = new Map<string, { matrix: FileHandle; row: number }>();
  readonly #sources: FileHandle[] = [];

  static async open(
    folder: string,
    { others, finished }: { others: readonly string[]; finished: (bytes: number) => void },
  ): Promise<DiskDraft> {
    const own = folder + DRAFT;
    await mkdir(own, { recursive: true, mode: 0o700 });
    const matrix = await open(join(own, DERIVED_FILES.matrix), 'a+', 0o600);
    const inputs = await open(join(own, INPUTS), 'a+', 0o600);
    const draft = new DiskDraft(folder, { matrix, inputs, finished });
    await draft.#resume();
    for (const other of others) await draft.#readSource(other);
    return draft;
  }

  private constructor(
    folder: string,
    {
      matrix,
      inputs,
      finished,
    }: { matrix: FileHandle; inputs: FileHandle; finished: (bytes: number) => void },
  ) {
    this.#folder = folder;
    this.#matrix = matrix;
    this.#inputs = inputs;
    this.#finished = finished;
  }

  async has(input: string): Promise<boolean> {
    if (this.#rows.has(input)) return true;
    const other = this.#elsewhere.get(input);
    if (other === undefined) return false;
    const row = await readRows(other.matrix, other.row, 1);
    if (row === null) return false;
    await this.add(input, row);
    return true;
  }

  async add(input: string, vector: Float32Array): Promise<void> {
    if (this.#rows.has(input)) return;
    // An input without its row would be worse than a row without its input.
    await this.#matrix.appendFile(bytesOf(vector));
    await this.#inputs.appendFile(Buffer.from(input, 'hex'));
    this.#rows.set(input, this.#rows.size);
  }

  async finish(assets: readonly { id: string; input: string }[], side: 'image' | 'text'): Promise<void> {
    const items = assets.flatMap(({ id, input }) => {
      const row = this.#rows.get(input);
      return row === undefined ? [] : [{ id, [side]: row }];
    });
    const own = this.#folder + DRAFT;
    const document = await open(join(own, DERIVED_FILES.document), 'w', 0o600);
    try {
      await document.writeFile(JSON.stringify({ schema: VECTORS_SCHEMA, dim: DIMENSIONS, items }));
      for (const file of [this.#matrix, this.#inputs, document]) await file.sync();
    } finally {
      await document.close();
    }
    await rm(this.#folder, { recursive: true, force: true });
    await rename(own, this.#folder);
    this.#finished(this.#rows.size * ROW_BYTES);
  }

  async close(): Promise<void> {
    for (const file of [this.#matrix, this.#inputs, ...this.#sources]) await file.close();
  }

  /** Reads the rows that are there. A draft that a crash damaged begins again. */
  async #resume(): Promise<void> {
    const inputs = await readInputs(this.#inputs);
    const { size } = await this.#matrix.stat();
    let rows = Math.min(inputs.length, Math.floor(size / ROW_BYTES));
    for (let first = 0; first < rows; first += ROWS_AT_ONCE) {
      if ((await readRows(this.#matrix, first, Math.min(ROWS_AT_ONCE, rows - first))) === null) rows = 0;
    }
    await this.#matrix.truncate(rows * ROW_BYTES);
    await this.#inputs.truncate(rows * INPUT_BYTES);
    for (const [row, input] of inputs.slice(0, rows).entries()) this.#rows.set(input, row);
  }

  async #readSource(folder: string): Promise<void> {
    const inputs = await unlessMissing(open(join(folder, INPUTS)));
    const matrix = await unlessMissing(open(join(folder, DERIVED_FILES.matrix)));
    if (inputs) this.#sources.push(inputs);
    if (matrix) this.#sources.push(matrix);
    if (!inputs || !matrix) return;
    for (const [row, input] of (await readInputs(inputs)).entries())
      this.#elsewhere.set(input, { matrix, row });
  }
}

async function readInputs(file: FileHandle): Promise<string[]> {
  const { size } = await file.stat();
  const bytes = Buffer.alloc(size - (size % INPUT_BYTES));
  await file.read(bytes, 0, bytes.length, 0);
  return Array.from({ length: bytes.length / INPUT_BYTES }, (_, at) =>
    bytes.toString('hex', at * INPUT_BYTES, (at + 1) * INPUT_BYTES),
  );
}

/** Returns rows of a matrix one after another; null unless every one is there and of length 1. */
async function readRows(file: FileHandle, first: number, count: number): Promise<Float32Array | null> {
  const rows = new Float32Array(count * DIMENSIONS);
  const { bytesRead } = await file.read(bytesOf(rows), 0, rows.byteLength, first * ROW_BYTES);
  return bytesRead === rows.byteLength && rowProblem(rows, DIMENSIONS) === null ? rows : null;
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

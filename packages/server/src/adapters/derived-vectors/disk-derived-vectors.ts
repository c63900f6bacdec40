import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS, rowProblem, VECTORS_SCHEMA } from '@bindery/contract';
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
  /** The folders of vectors and drafts, as paths below the folder. */
  readonly #known: Set<string>;

  /** @param maxBytes the size of all files from which there is no room for more */
  static async open(folder: string, maxBytes: number): Promise<DiskDerivedVectors> {
    const known = new Set<string>();
    for (const storeId of (await unlessMissing(readdir(folder))) ?? []) {
      for (const name of await readdir(join(folder, storeId))) known.add(join(storeId, name));
    }
    return new DiskDerivedVectors(folder, maxBytes, known);
  }

  private constructor(folder: string, maxBytes: number, known: Set<string>) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#known = known;
  }

  find(key: DerivedKey): string | null {
    const place = placeOf(key);
    return this.#known.has(place) ? join(this.#folder, place) : null;
  }

  async openDraft(key: DerivedKey): Promise<VectorDraft> {
    const place = placeOf(key);
    const beginning = join(key.storeId, `${modelOf(key)}-`);
    const others = [...this.#known].filter((other) => other.startsWith(beginning) && other !== place + DRAFT);
    this.#known.add(place + DRAFT);
    return DiskDraft.open(join(this.#folder, place), {
      others: others.map((other) => join(this.#folder, other)),
      finished: () => {
        this.#known.delete(place + DRAFT);
        this.#known.add(place);
      },
    });
  }

  async hasRoom(): Promise<boolean> {
    let bytes = 0;
    for (const place of this.#known) {
      bytes += (await unlessMissing(stat(join(this.#folder, place, DERIVED_FILES.matrix))))?.size ?? 0;
    }
    return bytes < this.#maxBytes;
  }

  async keepOnly(keys: readonly DerivedKey[]): Promise<void> {
    const kept = new Set(keys.map(placeOf));
    for (const place of this.#known) {
      if (kept.has(place) || (place.endsWith(DRAFT) && kept.has(place.slice(0, -DRAFT.length)))) continue;
      this.#known.delete(place);
      await rm(join(this.#folder, place), { recursive: true, force: true });
    }
  }
}

/** Models have versions of any length, which may not be names of folders. */
function modelOf({ version }: DerivedKey): string {
  return createHash('sha256').update(version).digest('hex').slice(0, 16);
}

function placeOf(key: DerivedKey): string {
  return join(key.storeId, `${modelOf(key)}-${key.indexSha256}`);
}

class DiskDraft implements VectorDraft {
  readonly #folder: string;
  readonly #matrix: FileHandle;
  readonly #inputs: FileHandle;
  readonly #finished: () => void;
  /** By input. */
  readonly #rows = new Map<string, number>();
  /** Where rows of other folders are, by input. */
  readonly #elsewhere = new Map<string, { matrix: FileHandle; row: number }>();
  readonly #sources: FileHandle[] = [];

  static async open(
    folder: string,
    { others, finished }: { others: readonly string[]; finished: () => void },
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
    { matrix, inputs, finished }: { matrix: FileHandle; inputs: FileHandle; finished: () => void },
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
    this.#finished();
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

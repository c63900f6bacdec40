import { HASH_BYTES } from '../../revision/file-closure.ts';
import { type Sections, sectionOf } from '../../revision/sections.ts';
import { NAME_BYTES } from './objects.ts';

/** A commit with everything below it, as one file of sections. Objects are in order, each once. */
export class CommitFile {
  readonly #sections: Sections;
  readonly #treeEnds: Float64Array;
  readonly #sizes: Float64Array;

  constructor(sections: Sections) {
    this.#sections = sections;
    this.#treeEnds = sectionOf(sections, 'trees.ends', 'Float64Array');
    this.#sizes = sectionOf(sections, 'blobs.sizes', 'Float64Array');
  }

  get trees(): number {
    return this.#treeEnds.length;
  }

  get blobs(): number {
    return this.#sizes.length;
  }

  get commit(): Uint8Array {
    return sectionOf(this.#sections, 'commit', 'Uint8Array');
  }

  get leftOut(): string[] {
    return JSON.parse(Buffer.from(sectionOf(this.#sections, 'left-out', 'Uint8Array')).toString());
  }

  nameOf(kind: 'trees' | 'blobs', place: number): string {
    const names = sectionOf(this.#sections, `${kind}.names`, 'Uint8Array');
    return Buffer.from(
      names.buffer as ArrayBuffer,
      names.byteOffset + place * NAME_BYTES,
      NAME_BYTES,
    ).toString('latin1');
  }

  tree(place: number): Uint8Array {
    const start = place === 0 ? 0 : this.#treeEnds[place - 1];
    return sectionOf(this.#sections, 'trees', 'Uint8Array').subarray(start, this.#treeEnds[place]);
  }

  blob(place: number): { sha256: string; size: number } {
    const hashes = sectionOf(this.#sections, 'blobs.hashes', 'Uint8Array');
    const sha256 = Buffer.from(hashes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES)).toString('hex');
    return { sha256, size: this.#sizes[place] ?? 0 };
  }
}

import { MANIFEST_SCHEMA, type Manifest } from '@bindery/contract';
import { encodeRevisionIndex } from './encode-index.ts';
import { FileClosure } from './file-closure.ts';
import { decodeSections, joinSections, type Sections, sectionOf } from './sections.ts';

/*
 * What a replaced revision is kept as, where little differs from the revision that replaced it: what makes the bytes of
 * its manifest of those of the next one, and the files whose content the next one lacks. It is an index of these files
 * without assets, so whoever looks up what revisions keep, an earlier version of the service too, reads it like any other.
 */

/** Smaller manifests, in bytes, and their indexes are kept whole. */
const MIN_BYTES = 256 * 1024;

/** The differences are at most this share of the manifest that they stand for. */
const MAX_SHARE = 1 / 8;

const LAYOUT = {
  /** The bytes that the next manifest lacks. */
  own: 'manifest.own',
  /** For each part of the manifest: how many of these bytes come next, then the start and the end of what is copied. */
  parts: 'manifest.parts',
} as const;

const PART_BYTES = 3 * Uint32Array.BYTES_PER_ELEMENT;

/** A manifest, and the sections of its index. */
export interface IndexedManifest {
  bytes: Uint8Array;
  sections: Sections;
}

/** Returns the bytes of the differences; null if they are too large to be worth it. */
export function writeDifferences(
  earlier: IndexedManifest,
  next: IndexedManifest,
): Uint8Array<ArrayBuffer> | null {
  const most = MAX_SHARE * earlier.bytes.length;
  const text = earlier.bytes.length < MIN_BYTES ? null : textDifferences(earlier.bytes, next.bytes, most);
  if (text === null) return null;
  const differences = joinSections({ ...contentGone(earlier.sections, next.sections), ...text });
  return applyDifferences(next.bytes, differences).equals(earlier.bytes) ? differences : null;
}

/** Returns the bytes of the earlier manifest, given those of the next one. */
export function applyDifferences(next: Uint8Array, differences: Uint8Array): Buffer<ArrayBuffer> {
  const sections = decodeSections(differences);
  const own = sectionOf(sections, LAYOUT.own, 'Uint8Array');
  const parts = sectionOf(sections, LAYOUT.parts, 'Uint32Array');
  const pieces: Uint8Array[] = [];
  let end = 0;
  for (let at = 0; at < parts.length; at += 3) {
    const start = end;
    end += parts[at] as number;
    pieces.push(own.subarray(start, end), next.subarray(parts[at + 1], parts[at + 2]));
  }
  return Buffer.concat(pieces);
}

/**
 * Compares two manifests piece by piece, as lists that are sorted by their bytes, as those that clients write are. In
 * another order, or written otherwise, they have less in common, and may be kept whole. Null beyond `most` bytes.
 */
function textDifferences(earlier: Uint8Array, next: Uint8Array, most: number): Sections | null {
  const [one, other] = [new Pieces(earlier), new Pieces(next)];
  const own: Uint8Array[] = [];
  const parts: number[] = [];
  let [at, otherAt, ownLength, size] = [0, 0, 0, 0];
  while (at < one.count) {
    const order = otherAt < other.count ? one.compare(at, other, otherAt) : -1;
    if (order < 0) {
      const piece = one.at(at);
      own.push(piece);
      ownLength += piece.length;
      size += piece.length;
    }
    if (order === 0) {
      const [start, end] = [other.start(otherAt), other.start(otherAt + 1)];
      if (ownLength === 0 && parts.at(-1) === start) parts[parts.length - 1] = end;
      else {
        parts.push(ownLength, start, end);
        size += PART_BYTES;
      }
      ownLength = 0;
    }
    if (size > most) return null;
    if (order <= 0) at++;
    if (order >= 0) otherAt++;
  }
  parts.push(ownLength, 0, 0);
  return { [LAYOUT.own]: Buffer.concat(own), [LAYOUT.parts]: Uint32Array.from(parts) };
}

const ASSET = Buffer.from('{"id":"');
const GENERATED = Buffer.from('],"generated":[');
const ARTIFACT = Buffer.from('".bindery/');

/** The text of a manifest, cut before each asset and each path of a platform artifact. */
class Pieces {
  readonly #text: Buffer;
  /** Where each piece starts, then the end. */
  readonly #starts: Uint32Array;
  /** The piece between assets and artifacts. */
  readonly #middle: number;

  constructor(bytes: Uint8Array) {
    this.#text = Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
    const { length } = bytes;
    const found = this.#text.lastIndexOf(GENERATED);
    const middle = found < 0 ? length : found;
    const starts = [0];
    this.#cut(ASSET, starts, middle);
    this.#middle = starts.length;
    if (middle < length) starts.push(middle);
    this.#cut(ARTIFACT, starts, length);
    this.#starts = Uint32Array.from([...starts, length]);
  }

  get count(): number {
    return this.#starts.length - 1;
  }

  start(piece: number): number {
    return this.#starts[piece] as number;
  }

  at(piece: number): Buffer {
    return this.#text.subarray(this.start(piece), this.start(piece + 1));
  }

  /** Whatever their bytes, the beginnings of manifests come before assets, and these before artifacts. */
  compare(piece: number, other: Pieces, otherPiece: number): number {
    const order = this.#kind(piece) - other.#kind(otherPiece);
    if (order !== 0) return order;
    const [start, end] = [this.start(piece), this.start(piece + 1)];
    return this.#text.compare(other.#text, other.start(otherPiece), other.start(otherPiece + 1), start, end);
  }

  #cut(before: Buffer, starts: number[], end: number): void {
    let at = this.#text.indexOf(before, (starts.at(-1) ?? 0) + 1);
    for (; at >= 0 && at < end; at = this.#text.indexOf(before, at + 1)) starts.push(at);
  }

  #kind(piece: number): number {
    return Math.sign(piece) + Math.sign(piece - this.#middle);
  }
}

function contentGone(earlier: Sections, next: Sections): Sections {
  const [before, after] = [new FileClosure(earlier), new FileClosure(next)];
  const gone = Array.from(after.placesOfNewContent(before), (place) => before.at(place));
  const { artifacts = [], files = [] } = Object.groupBy(gone, ({ platform }) =>
    platform ? 'artifacts' : 'files',
  );
  const manifest: Manifest = { schema: MANIFEST_SCHEMA, assets: [] };
  return encodeRevisionIndex({ manifest, files, places: new Uint32Array() }, artifacts);
}

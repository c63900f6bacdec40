import { UnreadableFileError } from '../files/unreadable.ts';

/** How a file in Object File Format is written. */
export interface OffHeader {
  readonly isBinary: boolean;
  /** What each vertex has behind its position, in this order. */
  readonly hasNormals: boolean;
  readonly hasColors: boolean;
  readonly hasUvs: boolean;
  readonly vertices: number;
  readonly faces: number;
  /** Bytes before the first vertex. */
  readonly bodyStart: number;
}

const HEAD = 8_192;

/** Reads the first words of an OFF file. http://www.geomview.org/docs/html/OFF.html @throws UnreadableFileError */
export function parseOffHeader(bytes: Uint8Array): OffHeader {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD));
  const start = /^(?:\s|#[^\n]*\n)*(ST)?(C)?(N)?(4)?(n)?OFF(?=[\s\d])/.exec(text);
  if (start === null) throw new UnreadableFileError('is not an OFF file');
  if (start[4] !== undefined || start[5] !== undefined)
    throw new UnreadableFileError('is an OFF file of other than three dimensions');
  const binary = /^[ \t]+BINARY[ \t]*\r?\n/.exec(text.slice(start[0].length));
  const attributes = {
    hasUvs: start[1] !== undefined,
    hasColors: start[2] !== undefined,
    hasNormals: start[3] !== undefined,
  };
  if (binary !== null) {
    const at = start[0].length + binary[0].length;
    if (at + 12 > bytes.byteLength) throw new UnreadableFileError('is cut off');
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, 12);
    const [vertices, faces] = [view.getInt32(0), view.getInt32(4)];
    return { ...attributes, isBinary: true, vertices, faces, bodyStart: at + 12 };
  }
  const counts = /^(?:\s|#[^\n]*\n)*(\d+)\s+(\d+)(?:[ \t]+\d+)?/.exec(text.slice(start[0].length));
  if (counts === null) throw new UnreadableFileError('is an OFF file without counts');
  return {
    ...attributes,
    isBinary: false,
    vertices: Number(counts[1]),
    faces: Number(counts[2]),
    bodyStart: start[0].length + counts[0].length,
  };
}

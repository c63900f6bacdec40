import { Readable } from 'node:stream';
import type { ObjectStore } from '../../objects/store.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { gzipLength, gzipPieces, gzipStart, gzipTail } from './gzip.ts';
import { type TarFile, tarPieces } from './tar.ts';

/** What a layer is made of. */
export interface LayerContent {
  storeId: string;
  files: Iterable<TarFile>;
  tarBytes: number;
}

type Objects = Pick<ObjectStore, 'stream'>;

/** A part of an archive, of the format or of a file. */
export interface TarChunk {
  /** Where it is in the archive. */
  position: number;
  bytes: Uint8Array;
  file: TarFile | null;
  /** Whether the file ends with it. */
  isLast: boolean;
}

/** Reads the archive of a layer from a position on. Bytes of files are as the store has them, not verified. */
export async function* readTar(
  objects: Objects,
  { storeId, files }: LayerContent,
  from = 0,
): AsyncGenerator<TarChunk> {
  for (const { position, piece } of tarPieces(files, from)) {
    if (turnIsOver()) await nextTurn();
    const skipped = Math.max(0, from - position);
    if ('bytes' in piece) {
      yield { position: position + skipped, bytes: piece.bytes.subarray(skipped), file: null, isLast: false };
      continue;
    }
    const { file } = piece;
    let read = skipped;
    const range = skipped > 0 ? { start: skipped, end: file.size - 1 } : undefined;
    for await (const bytes of objects.stream({ storeId, sha256: file.sha256 }, range)) {
      const at = position + read;
      read += bytes.length;
      yield { position: at, bytes, file, isLast: read === file.size };
    }
    if (read !== file.size) throw new Error(`the object ${file.sha256} does not have its size`);
  }
}

/** Streams the bytes of a layer from `start` up to and including `end`. */
export function streamLayer(
  objects: Objects,
  content: LayerContent & { crc32: number },
  { start, end }: { start: number; end: number },
): Readable {
  return Readable.from(slice(), { objectMode: false });

  async function* slice(): AsyncGenerator<Uint8Array> {
    let offset = gzipStart(start, content.tarBytes).offset;
    for await (const bytes of readGzip(objects, content, start)) {
      const piece = bytes.subarray(Math.max(0, start - offset), end + 1 - offset);
      offset += bytes.length;
      if (piece.length > 0) yield piece;
      if (offset > end) return;
    }
  }
}

async function* readGzip(
  objects: Objects,
  content: LayerContent & { crc32: number },
  start: number,
): AsyncGenerator<Uint8Array> {
  const { tarBytes, crc32 } = content;
  const { position } = gzipStart(start, tarBytes);
  for await (const chunk of readTar(objects, content, position))
    yield* gzipPieces(chunk.bytes, chunk.position, tarBytes);
  yield gzipTail(crc32, tarBytes);
}

export function layerLength({ tarBytes }: Pick<LayerContent, 'tarBytes'>): number {
  return gzipLength(tarBytes);
}

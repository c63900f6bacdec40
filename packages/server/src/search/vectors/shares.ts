import { BLOCK_ROWS } from '../../revision/vectors/block.ts';
import type { ScanPart } from './scan-part.ts';

/** Cuts parts, in order, into this many shares of about equally many blocks; leaves out empty ones. */
export function sharesOf(parts: readonly ScanPart[], count: number): ScanPart[][] {
  const total = parts.reduce((sum, { blocks }) => sum + blocks.length, 0);
  const size = Math.ceil(total / count);
  const shares: ScanPart[][] = [];
  let room = 0;
  for (const part of parts) {
    for (let start = 0; start < part.blocks.length; ) {
      if (room === 0) {
        shares.push([]);
        room = size;
      }
      const blocks = part.blocks.slice(start, start + room);
      const rows = Math.min(blocks.length * BLOCK_ROWS, part.rows - start * BLOCK_ROWS);
      shares.at(-1)?.push({ ...part, blocks, rows });
      start += blocks.length;
      room -= blocks.length;
    }
  }
  return shares;
}

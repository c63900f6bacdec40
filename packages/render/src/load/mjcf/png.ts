import type { Budget } from '../../limits.ts';

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Checks the pixel count that a PNG declares before another program decodes it; other bytes pass. */
export function checkPngSize(bytes: Uint8Array, budget: Budget): void {
  if (bytes.byteLength < 24 || SIGNATURE.some((value, index) => bytes[index] !== value)) return;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  budget.check('imagePixels', view.getUint32(16) * view.getUint32(20));
}

import type { Budget } from '../../limits.ts';
import type { SplatCloud } from '../../scene.ts';
import { SplatCloudBuilder } from './cloud.ts';

const RECORD_BYTES = 32;

/** `.splat`: records of position, scale (three 32-bit floats each), RGBA and rotation w, x, y, z (four bytes each). */
export function loadSplat(bytes: Uint8Array, budget: Budget): SplatCloud {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const builder = new SplatCloudBuilder(Math.floor(bytes.byteLength / RECORD_BYTES), budget);
  for (let splat = 0, at = 0; at + RECORD_BYTES <= bytes.byteLength; splat++, at += RECORD_BYTES) {
    const float = (index: number) => view.getFloat32(at + index * 4, true);
    const byte = (index: number) => view.getUint8(at + 24 + index);
    builder.position(splat, float(0), float(1), float(2));
    builder.scale(splat, float(3), float(4), float(5));
    builder.color(splat, byte(0) / 255, byte(1) / 255, byte(2) / 255, byte(3) / 255);
    builder.rotation(splat, byte(5) - 127.5, byte(6) - 127.5, byte(7) - 127.5, byte(4) - 127.5);
  }
  return builder.fromYDown();
}

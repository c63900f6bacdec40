/** Width and height of a thumbnail in pixels. */
export const THUMBNAIL_SIZE = 640;

/** An RGBA picture, 8 bits per channel, sRGB, alpha not premultiplied. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/**
 * Averages square blocks of linear samples with premultiplied alpha into pixels, over black that covers `darkness`
 * (0 to 1) of each pixel.
 */
export function resolvePicture(
  samples: Float32Array,
  sampleSize: number,
  blockSize: number,
  darkness: Float32Array,
): Picture {
  const size = sampleSize / blockSize;
  const data = new Uint8Array(size * size * 4);
  const share = 1 / (blockSize * blockSize);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const corner = (y * sampleSize + x) * blockSize * 4;
      let red = 0;
      let green = 0;
      let blue = 0;
      let alpha = 0;
      for (let row = 0; row < blockSize; row++) {
        const start = corner + row * sampleSize * 4;
        for (let at = start; at < start + blockSize * 4; at += 4) {
          const opacity = samples[at + 3] as number;
          if (opacity === 0) continue;
          red += samples[at] as number;
          green += samples[at + 1] as number;
          blue += samples[at + 2] as number;
          alpha += opacity;
        }
      }
      const solid = Math.min(1, alpha * share);
      const covered = solid + (1 - solid) * (darkness[y * size + x] as number);
      if (covered <= 0) continue;
      const at = (y * size + x) * 4;
      const scale = share / covered;
      data[at] = srgbByte(red * scale);
      data[at + 1] = srgbByte(green * scale);
      data[at + 2] = srgbByte(blue * scale);
      data[at + 3] = Math.round(covered * 255);
    }
  }
  return { width: size, height: size, data };
}

/** The transfer function of sRGB (IEC 61966-2-1), for 8-bit values. */
export const LINEAR_OF_SRGB = Float32Array.from({ length: 256 }, (_, value) => srgbToLinear(value / 255));

export function srgbToLinear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

export function linearToSrgb(value: number): number {
  return value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
}

const STEPS = 4096;
const SRGB_BYTES = Uint8Array.from({ length: STEPS + 1 }, (_, step) =>
  Math.round(linearToSrgb(step / STEPS) * 255),
);

/** The 8-bit sRGB value of a linear one, clamped to 0 to 1. */
export function srgbByte(linear: number): number {
  return SRGB_BYTES[linear <= 0 ? 0 : linear >= 1 ? STEPS : (linear * STEPS + 0.5) | 0] as number;
}

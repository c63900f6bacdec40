import { type Picture, srgbByte } from '@bindery/formats/images/pixels';

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

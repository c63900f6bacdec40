import type { Image, Texture, Wrap } from '@bindery/formats/model/scene';

/**
 * Samples a texture at (u, v), bilinearly; `level` is the one whose texels are about as large as a sample.
 * Writes r, g, b, a (0 to 255, as encoded) into `out`.
 */
export function sampleTexture(
  texture: Texture,
  u: number,
  v: number,
  level: number,
  out: Float32Array,
): void {
  const image = texture.levels[Math.min(texture.levels.length - 1, Math.max(0, level))] as Image;
  const { width, height, data } = image;
  const x = place(u, texture.wrapU) * width - 0.5;
  const y = place(v, texture.wrapV) * height - 0.5;
  const x0 = Math.floor(x);
  const y0 = Math.floor(y);
  const fx = x - x0;
  const fy = y - y0;
  const left = wrapTexel(x0, width, texture.wrapU);
  const right = wrapTexel(x0 + 1, width, texture.wrapU);
  const top = wrapTexel(y0, height, texture.wrapV) * width;
  const bottom = wrapTexel(y0 + 1, height, texture.wrapV) * width;
  const a = (top + left) * 4;
  const b = (top + right) * 4;
  const c = (bottom + left) * 4;
  const d = (bottom + right) * 4;
  const wa = (1 - fx) * (1 - fy);
  const wb = fx * (1 - fy);
  const wc = (1 - fx) * fy;
  const wd = fx * fy;
  for (let k = 0; k < 4; k++) {
    out[k] =
      (data[a + k] as number) * wa +
      (data[b + k] as number) * wb +
      (data[c + k] as number) * wc +
      (data[d + k] as number) * wd;
  }
}

function place(coordinate: number, wrap: Wrap): number {
  if (!Number.isFinite(coordinate)) return 0;
  if (wrap === 'clamp') return coordinate < 0 ? 0 : Math.min(coordinate, 1);
  const floor = Math.floor(coordinate);
  const fraction = coordinate - floor;
  return wrap === 'mirror' && floor % 2 !== 0 ? 1 - fraction : fraction;
}

function wrapTexel(texel: number, size: number, wrap: Wrap): number {
  if (texel >= 0 && texel < size) return texel;
  if (wrap === 'repeat') return texel < 0 ? texel + size : texel - size;
  return texel < 0 ? 0 : size - 1;
}

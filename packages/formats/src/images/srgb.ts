/** An RGBA picture, 8 bits per channel, sRGB, alpha not premultiplied. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
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

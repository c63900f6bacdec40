/**
 * What assets are compared by without a model that has learned anything: descriptors of shape, colours and outlines,
 * which clients compute. Only descriptors of one version can be compared.
 */
export const DESCRIPTOR_VERSION = 'shape-1';

/** Bytes of the parts of a descriptor, in their order. Each byte is a number up to 127; distances are Euclidean. */
export const DESCRIPTOR_PARTS = {
  model: { shape: 216, colors: 32, hasColors: 1, outlines: 8 * 28 },
  picture: { colors: 32, hasColors: 1, outlines: 28 },
} as const;

/** Bytes of the descriptor of a model, and of a picture. */
export const DESCRIPTOR_BYTES = { model: 473, picture: 61 } as const;

const MAX_NUMBER = 127;

/**
 * Reads the descriptor in the statistics of an asset; null if there is none of this version. Authors can write anything
 * there.
 */
export function readDescriptor(meta: Readonly<Record<string, unknown>> | undefined): Uint8Array | null {
  const { descriptor } = (meta?.statistics ?? {}) as { descriptor?: unknown };
  if (typeof descriptor !== 'string' || !descriptor.startsWith(`${DESCRIPTOR_VERSION}:`)) return null;
  return decodeDescriptor(descriptor.slice(DESCRIPTOR_VERSION.length + 1), 'model');
}

/** Decodes a descriptor from Base64; null if it is none. */
export function decodeDescriptor(base64: string, of: keyof typeof DESCRIPTOR_BYTES): Uint8Array | null {
  if (!/^[\w+/]+={0,2}$/.test(base64) || base64.length !== 4 * Math.ceil(DESCRIPTOR_BYTES[of] / 3))
    return null;
  const text = atob(base64);
  if (text.length !== DESCRIPTOR_BYTES[of]) return null;
  // Registers decode tens of thousands, for which calls per byte are too slow.
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = text.charCodeAt(at);
    if ((bytes[at] as number) > MAX_NUMBER) return null;
  }
  return bytes;
}

/**
 * How an asset is like what was asked for, the strongest first: it has the same files; it is the same model, whatever
 * its scale, axes, format or number of triangles; its shape and colours are similar; only its picture is.
 */
export const SIMILARITIES = ['identical', 'duplicate', 'shape', 'picture'] as const;
export type Similarity = (typeof SIMILARITIES)[number];

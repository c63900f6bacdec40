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

/** Bytes of the descriptor of a model, of a picture, and of a hand, which is a shape alone. */
export const DESCRIPTOR_BYTES = { model: 473, picture: 61, hand: DESCRIPTOR_PARTS.model.shape } as const;

const MAX_NUMBER = 127;

/**
 * Reads the descriptor in the statistics of an asset; null if there is none of this version. Authors can write anything
 * there.
 */
export function readDescriptor(meta: Readonly<Record<string, unknown>> | undefined): Uint8Array | null {
  const { descriptor } = (meta?.statistics ?? {}) as { descriptor?: unknown };
  return decodeVersioned(descriptor, 'model');
}

/** A hand or a gripper of a robot: the name of its link, and its shape. */
export interface DescribedHand {
  readonly name: string;
  readonly shape: Uint8Array;
}

/** Reads the hands in the statistics of an asset that are described in this version; none if one of them is none. */
export function readHands(meta: Readonly<Record<string, unknown>> | undefined): DescribedHand[] {
  const { hands } = (meta?.statistics ?? {}) as { hands?: unknown };
  if (!Array.isArray(hands)) return [];
  const described = hands.flatMap((hand): DescribedHand[] => {
    const { name, shape: text } = Object(hand);
    const shape = decodeVersioned(text, 'hand');
    return shape === null || typeof name !== 'string' ? [] : [{ name, shape }];
  });
  return described.length === hands.length ? described : [];
}

function decodeVersioned(text: unknown, of: keyof typeof DESCRIPTOR_BYTES): Uint8Array | null {
  if (typeof text !== 'string' || !text.startsWith(`${DESCRIPTOR_VERSION}:`)) return null;
  return decodeDescriptor(text.slice(DESCRIPTOR_VERSION.length + 1), of);
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

/**
 * What assets are compared by without a model that has learned anything: descriptors of shape and colour, which clients
 * compute. Only descriptors of one version can be compared.
 */
export const DESCRIPTOR_VERSION = 'shape-1';

/** Bytes of the descriptor of a model, and of a picture. */
export const DESCRIPTOR_BYTES = { model: 512, picture: 64 } as const;

/**
 * How an asset is like what was asked for, the strongest first: it has the same files; it is the same model, whatever
 * its scale, axes, format or number of triangles; its shape and colours are similar; only its picture is.
 */
export const SIMILARITIES = ['identical', 'duplicate', 'shape', 'picture'] as const;
export type Similarity = (typeof SIMILARITIES)[number];

/** The product's name in schemas and reserved paths. */
export const SERVICE = 'bindery';
export const MANIFEST_SCHEMA = 'bindery.assets/v1';
export const VECTORS_SCHEMA = 'bindery.assets.vectors/v1';

/** Platform artifacts live under this folder, user files never do. */
export const RESERVED_FOLDER = '.bindery/';
export const MANIFEST_PATH = '.bindery/manifest.json';
/** Where clients store the thumbnails that they draw: `<asset id>.webp`. */
export const THUMBNAILS_FOLDER = '.bindery/thumbs/';
/** Where clients store the certificates of robots that they simulated, and pictures of the run. */
export const CERTIFICATES_FOLDER = '.bindery/certificates/';

/** The platform artifact that certifies an asset. */
export function certificatePath(assetId: string): string {
  return `${CERTIFICATES_FOLDER}${assetId}.json`;
}

/** The animated picture of the run that certified an asset. */
export function certificatePicturePath(assetId: string): string {
  return `${CERTIFICATES_FOLDER}${assetId}.webp`;
}

export const VECTORS_INDEX_PATH = '.bindery/vectors.json';
export const VECTORS_MATRIX_PATH = '.bindery/vectors.f32';
export const SOURCE_CURATION_PATH = '.bindery/source/bindery.yml';
export const CURATION_FILE = 'bindery.yml';
export const SOURCE_README_PATH = '.bindery/source/README.md';
export const README_FILE = 'README.md';
/** Files at the root of a library's folder that are published with it, by their paths as platform artifacts. */
export const ROOT_FILES: ReadonlyMap<string, string> = new Map([
  [SOURCE_CURATION_PATH, CURATION_FILE],
  [SOURCE_README_PATH, README_FILE],
]);

/** The layout of older clients, read if no manifest in the current layout is stored. */
export const LEGACY_MANIFEST_PATH = 'assets.json';
export const LEGACY_VECTORS_INDEX_PATH = 'assets.vectors.json';
export const LEGACY_VECTORS_MATRIX_PATH = 'assets.vectors.f32';

/** What a name looks like, as a pattern and in words. */
export interface NameRule {
  pattern: RegExp;
  rule: string;
}

export const NAMESPACE_SLUG: NameRule = {
  pattern: /^[a-z0-9](?:[a-z0-9-]{0,37}[a-z0-9])?$/,
  rule: 'must be 1 to 39 lowercase letters, digits or hyphens, not with a hyphen at the start or end',
};
export const LIBRARY_NAME: NameRule = {
  pattern: /^[a-z0-9][a-z0-9._-]{0,63}$/,
  rule: 'must be 1 to 64 lowercase letters, digits, dots, underscores or hyphens, and start with a letter or digit',
};
export const PROJECT_SLUG: NameRule = {
  pattern: /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/,
  rule: 'must be 1 to 64 lowercase letters, digits or hyphens, not with a hyphen at the start or end',
};
export const ASSET_ID: NameRule = {
  pattern: /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,127}$/,
  rule: 'must be 1 to 128 letters, digits, dots, underscores or hyphens, and start with a letter or digit',
};
export const VOCABULARY_TOKEN: NameRule = {
  pattern: /^[a-z0-9][a-z0-9._-]{0,31}$/,
  rule: 'must be 1 to 32 lowercase letters, digits, dots, underscores or hyphens, and start with a letter or digit',
};
export const SHA256_HEX: NameRule = {
  pattern: /^[0-9a-f]{64}$/,
  rule: 'must be 64 lowercase hexadecimal digits (SHA-256)',
};
/** `latest` is refused, since it would suggest the current revision, which changes. */
export const RELEASE_NAME: NameRule = {
  pattern: /^(?!latest$)[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/,
  rule: 'must be 1 to 64 letters, digits, dots, underscores or hyphens, start with a letter or digit, and not be "latest"',
};
/** Identifiers of Nodes, Notes, projects and Bindrs: opaque to clients. */
export const NODE_ID: NameRule = {
  pattern: /^[\w-]{1,64}$/,
  rule: 'must be 1 to 64 letters, digits, hyphens or underscores',
};

export const VISIBILITIES = ['private', 'public'] as const;

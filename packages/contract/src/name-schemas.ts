import { z } from 'zod';
import {
  ASSET_ID,
  LIBRARY_NAME,
  NAMESPACE_SLUG,
  type NameRule,
  NODE_ID,
  PROJECT_SLUG,
  RELEASE_NAME,
  SHA256_HEX,
  VOCABULARY_TOKEN,
} from './names.ts';

export const namespaceSlug = named(NAMESPACE_SLUG);
export const libraryName = named(LIBRARY_NAME);
export const projectSlug = named(PROJECT_SLUG);
export const assetId = named(ASSET_ID);
export const releaseName = named(RELEASE_NAME);
export const vocabularyToken = named(VOCABULARY_TOKEN);
export const sha256Hex = named(SHA256_HEX);
export const nodeId = named(NODE_ID);

function named({ pattern, rule }: NameRule) {
  return z.string().regex(pattern, { error: rule });
}

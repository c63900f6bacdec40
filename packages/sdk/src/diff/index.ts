/** What differs between two revisions of a library: pure functions over what was read of both. */

export {
  type ChangedAsset,
  type ChangedFact,
  type Differences,
  diffManifests,
  type ManifestDiff,
} from './diff-manifests.ts';
export { diffTexts, isShortText, type TextChange } from './diff-texts.ts';

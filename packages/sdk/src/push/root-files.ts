import { SOURCE_CURATION_PATH, SOURCE_README_PATH } from '@bindery/contract/wire';
import { bytesSource, type UploadSource } from '../tree/upload-source.ts';

/** Returns the files at a folder's root that are published with its library, as platform artifacts. */
export function rootFilesOf({
  curation,
  readme,
}: Record<'curation' | 'readme', Uint8Array | null>): UploadSource[] {
  return [
    ...(curation === null ? [] : [bytesSource(SOURCE_CURATION_PATH, curation)]),
    ...(readme === null ? [] : [bytesSource(SOURCE_README_PATH, readme)]),
  ];
}

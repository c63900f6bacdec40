import { BUCKET_URL, isBucketUrl } from '@bindery/server';
import { type Parse, text, UsageProblem } from '../command.ts';

/** Parses the path of a folder, or the URL of a bucket. */
export const folderOrBucket: Parse<string> = (value) => {
  if (!value.includes('://') || isBucketUrl(value)) return text(value);
  throw new UsageProblem(`expected a folder, or ${BUCKET_URL}`);
};

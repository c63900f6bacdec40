import type { DoorAddress } from '../../../doors/revision.ts';
import { addressOf } from '../address.ts';

/** Stands between a library and one of its releases. */
const AT = '.at.';

/** No release has this name, so it is the current revision. */
const CURRENT = 'latest';

/**
 * The library in the name of a bucket, `<namespace>.<library>[.at.<release or commit>]`. No namespace has a dot, and what
 * follows the last `.at.` is the release. A malformed name becomes one that nothing has.
 */
export function addressOfBucket(bucket: string | null | undefined): DoorAddress {
  const place = bucket?.lastIndexOf(AT) ?? -1;
  const library = place < 0 ? bucket : bucket?.slice(0, place);
  const release = place < 0 ? CURRENT : bucket?.slice(place + AT.length);
  const [namespace, name] = library?.split(/\.(.*)/s) ?? [];
  return addressOf(namespace, name, release === CURRENT ? undefined : release);
}

/** The bucket that is the current revision of a library. */
export function bucketOf(namespace: string, name: string): string {
  const bucket = `${namespace}.${name}`;
  return bucket.includes(AT) ? bucket + AT + CURRENT : bucket;
}

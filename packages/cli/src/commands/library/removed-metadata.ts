import type { PushResult } from '@bindery/sdk/libraries';
import type { Output } from '../../output/output.ts';
import { formatCount, formatNumber, sanitizeLine } from '../../output/text.ts';

const MAX_LISTED = 20;

/** Lists the texts and licences that a push, or the replacement of an asset, removes. */
export function reportRemovedMetadata(removed: PushResult['removedMetadata'], output: Output): void {
  for (const { asset, keys } of removed.slice(0, MAX_LISTED))
    output.warn(sanitizeLine(`${asset ?? 'the library'} loses its ${keys.join(', ')}`));
  if (removed.length > MAX_LISTED)
    output.warn(`${formatNumber(removed.length - MAX_LISTED)} more assets lose texts or licences`);
}

/** Returns a question that names what is lost in numbers. */
export function removalQuestion(removed: PushResult['removedMetadata']): string {
  const keys = removed.flatMap((one) => one.keys);
  const licenses = keys.filter((key) => key === 'license').length;
  const texts = keys.length - licenses;
  const parts = [
    ...(texts === 0 ? [] : [formatCount(texts, 'text')]),
    ...(licenses === 0 ? [] : [formatCount(licenses, 'licence')]),
  ];
  return `Remove ${parts.join(' and ')} from the library?`;
}

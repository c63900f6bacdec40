/**
 * Words that say nothing about an asset, so they are ignored in texts and queries. The list is short on purpose: a
 * "can" is an object to grasp, and "no" and "up" occur in names.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and are as at be by for from has have i in into is it its me my of on or our please some that the their them then
  there these they this those to was we were what which who with you your`.split(/\s+/),
);

/**
 * Words that say nothing about an asset, so that neither texts nor queries count them. Short on purpose: "can" is a
 * thing to grasp, "no" and "up" stand in names.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and are as at be by for from has have i in into is it its me my of on or our please some that the their them then
  there these they this those to was we were what which who with you your`.split(/\s+/),
);

/** A text that reads as an SPDX expression, known or not. */
const EXPRESSION = /^\(*[\w.+-]+\)*(?: (?:AND|OR|WITH) \(*[\w.+-]+\)*)*$/;

/**
 * Returns the SPDX identifier that somebody who typed `text` may mean, such as CC-BY-4.0 for "cc by 4"; null if it is
 * an expression already, or none of the known `ids` comes near.
 */
export function suggestLicense(text: string, ids: readonly string[]): string | null {
  const typed = text.trim();
  if (typed === '' || ids.includes(typed)) return null;
  const plain = typed
    .toLowerCase()
    .replace(/\b(?:the|licen[cs]e|international|version|creative commons)\b/g, ' ')
    .trim()
    .replace(/^(?=by\b)/, 'cc-')
    .replace(/\bv(?=\d)/g, '')
    .replace(/[\s_,-]+/g, '-');
  const known = ids.map((id) => ({ id, plain: id.toLowerCase() }));
  const find = (rest: RegExp) =>
    known.findLast((one) => one.plain.startsWith(plain) && rest.test(one.plain.slice(plain.length)));
  const same = find(/^(?:\.0)?$/);
  const isExpression = EXPRESSION.test(typed) && typed !== typed.toLowerCase();
  if (same !== undefined || isExpression || plain.length < 3) return same?.id ?? null;
  return (find(/^-\d/) ?? find(/^(?:\.0)?-/))?.id ?? null;
}

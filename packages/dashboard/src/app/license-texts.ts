const files = import.meta.glob<string>(
  '../../../../node_modules/spdx-license-list/licenses/{AGPL-3.0-only,AGPL-3.0-or-later,Apache-2.0,BSD-2-Clause,BSD-3-Clause,BSL-1.0,CC-BY-3.0,CC-BY-4.0,CC-BY-NC-4.0,CC-BY-NC-SA-4.0,CC-BY-SA-3.0,CC-BY-SA-4.0,CC0-1.0,EPL-2.0,GPL-2.0-only,GPL-2.0-or-later,GPL-3.0-only,GPL-3.0-or-later,ISC,LGPL-2.1-only,LGPL-2.1-or-later,LGPL-3.0-only,LGPL-3.0-or-later,MIT,MPL-2.0,OFL-1.1,Unlicense,Zlib}.json',
  { import: 'licenseText' },
);

/** Texts of the licences that assets commonly have, by SPDX identifier; each is loaded from its own file. */
export const LICENSE_TEXTS: Readonly<Record<string, () => Promise<string>>> = Object.fromEntries(
  Object.entries(files).map(([path, read]) => [path.slice(path.lastIndexOf('/') + 1, -'.json'.length), read]),
);

/** A text that reads as an SPDX expression, known or not. */
const EXPRESSION = /^\(*[\w.+-]+\)*(?: (?:AND|OR|WITH) \(*[\w.+-]+\)*)*$/;

/**
 * Returns the SPDX identifier that somebody who typed `text` may mean, such as CC-BY-4.0 for "cc by 4"; null if it is
 * an expression already, or none comes near.
 */
export function suggestLicense(text: string): string | null {
  const ids = Object.keys(LICENSE_TEXTS);
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

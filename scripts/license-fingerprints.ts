import { writeFileSync } from 'node:fs';
import licenses from 'spdx-license-list/full.js';
import { shinglesOf, wordsOf } from '../packages/sdk/src/discovery/license/shingles.ts';

/** Licences for shared works: OSI-approved ones, Creative Commons, Open Data Commons, and a few more. */
const MORE =
  /^(?:CC0?-|CC-PDDC|PDDL|ODbL|ODC-By|C-UDA|CERN-OHL|TAPR-OHL|OFL|Unlicense|WTFPL|BSD-|MIT|X11|Zlib|FTL|GFDL|SHL|BUSL|CDLA)/;
/** Ports of a licence to other jurisdictions or languages; one version of each is enough. */
const PORTS = /-(?:AT|AU|CH|DE|FR|IGO|JP|NL|UK|US|EN|IN|Uyghur)(?:-|$)/;
const MAX_SHINGLES = 256;

const rows = Object.entries(licenses)
  .filter(([id, { osiApproved }]) => (osiApproved || MORE.test(id)) && !PORTS.test(id))
  // The "only" and "or later" variants of a licence have the same text.
  .filter(([id]) => !/-or-later$|\+$/.test(id) && !(`${id}-only` in licenses))
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([id, { licenseText }]) => [id, ...fingerprint(licenseText)] as const);

function fingerprint(text: string): [number, string] {
  const all = [...shinglesOf(wordsOf(text))].sort((a, b) => a - b);
  let modulus = 1;
  while (all.filter((shingle) => shingle % modulus === 0).length > MAX_SHINGLES) modulus *= 2;
  const kept = all.filter((shingle) => shingle % modulus === 0);
  const bytes = kept.flatMap((shingle) => [shingle >> 16, (shingle >> 8) & 0xff, shingle & 0xff]);
  return [modulus, Buffer.from(bytes).toString('base64')];
}

const target = new URL('../packages/sdk/src/discovery/license/fingerprint-data.ts', import.meta.url);
writeFileSync(
  target,
  `/** Made by \`npm run license-texts\` from the texts of spdx-license-list: id, modulus, shingles of three bytes each. */
export const FINGERPRINTS: readonly (readonly [string, number, string])[] = [
${rows.map(([id, modulus, data]) => `  ['${id}', ${modulus}, '${data}'],`).join('\n')}
];
`,
);

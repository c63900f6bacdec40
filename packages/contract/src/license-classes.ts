/**
 * What licences ask of those who use an asset. `public-domain`: nothing. `permissive`: at most that notices are kept;
 * the public domain is part of it. `attribution`: that the author is named. `copyleft`: that what is made of it is under
 * the same licence. `non-commercial`: no commercial use. `unstated`: no licence is stated.
 */
export const LICENSE_CLASSES = [
  'permissive',
  'attribution',
  'copyleft',
  'non-commercial',
  'public-domain',
  'unstated',
] as const;
export type LicenseClass = (typeof LICENSE_CLASSES)[number];

/** Ids of SPDX without their versions, in lower case, by what they begin with. */
const BEGINNINGS: Readonly<Record<'permissive' | 'attribution' | 'copyleft' | 'public-domain', RegExp>> = {
  'public-domain': /^(cc0|unlicense|pddl|0bsd|mit-0|cc-pddc|cc-pdm|wtfpl|nist-pd|public[- ]domain)/,
  permissive:
    /^(mit|bsd|apache|isc|zlib|bsl-1|artistic|afl|ncsa|postgresql|python|psf|ofl|ftl|libpng|x11|hpnd|curl|upl|ms-pl|blueoak|unicode|boost|ecl-|edl-|libtiff|ijg|cdla-permissive|ogl-uk)/,
  attribution: /^(cc-by-\d|cc-by$|odc-by)/,
  copyleft: /^((a|l)?gpl|mpl|epl|eupl|cddl|cecill|osl|cc-by-sa|odbl|ms-rl|cpal|sspl|cdla-sharing|gfdl)/,
};

const NON_COMMERCIAL = /(^|-)nc(-|$)|non-?commercial/;

/** Returns the classes of a licence: an id or an expression of SPDX; none if it is not known, `unstated` for null. */
export function classesOfLicense(license: string | null): LicenseClass[] {
  if (license === null || license.trim() === '') return ['unstated'];
  const choices = license
    .toLowerCase()
    .replace(/[()]/g, ' ')
    .split(/\sor\s/)
    .map(classesOfAll);
  return LICENSE_CLASSES.filter((name) => choices.some((classes) => classes.has(name)));
}

/** Of licences that all apply: what one asks, they ask together; they only permit what all of them permit. */
function classesOfAll(text: string): Set<LicenseClass> {
  const parts = text.split(/\sand\s/).map((part) => classesOfOne(part.replace(/\swith\s.*/, '').trim()));
  const all = new Set(parts.flat());
  for (const name of ['permissive', 'public-domain'] as const)
    if (!parts.every((classes) => classes.includes(name))) all.delete(name);
  return all;
}

function classesOfOne(id: string): LicenseClass[] {
  const classes: LicenseClass[] = [];
  if (BEGINNINGS['public-domain'].test(id)) classes.push('public-domain', 'permissive');
  else if (BEGINNINGS.permissive.test(id)) classes.push('permissive');
  if (BEGINNINGS.copyleft.test(id)) classes.push('copyleft');
  if (NON_COMMERCIAL.test(id)) classes.push('non-commercial');
  else if (BEGINNINGS.attribution.test(id)) classes.push('attribution');
  return classes;
}

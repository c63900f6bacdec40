/** Order matters: the user agent of an earlier entry also contains names of later ones. */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['HeadlessChrome', 'Chromium'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const;

const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** Describes a browser by its user agent, in a few words if browser and system are known: `Firefox on Linux`. */
export function describeBrowser(userAgent: string): string {
  const browser = BROWSERS.find(([mark]) => userAgent.includes(`${mark}/`))?.[1];
  const system = SYSTEMS.find(([mark]) => userAgent.includes(mark))?.[1];
  return browser && system ? `${browser} on ${system}` : userAgent.slice(0, 80);
}

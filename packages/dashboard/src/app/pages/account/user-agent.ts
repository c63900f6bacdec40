/** In this order: those below also call themselves what stands further down. */
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

/** A browser by what it calls itself, in two words where they are known: `Firefox on Linux`. */
export function describeBrowser(userAgent: string): string {
  const browser = BROWSERS.find(([mark]) => userAgent.includes(`${mark}/`))?.[1];
  const system = SYSTEMS.find(([mark]) => userAgent.includes(mark))?.[1];
  return browser && system ? `${browser} on ${system}` : userAgent.slice(0, 80);
}

/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/*
 * Both functions run inside the page.
 */

/** What keeps people from using the page: unnamed controls, missing landmarks, headings, language; a sideways scroll. */
export function findStructureProblems(): string[] {
  const faults: string[] = [];
  const count = (selector: string) => document.querySelectorAll(selector).length;
  if (document.documentElement.lang !== 'en') faults.push('no language');
  if (!document.title) faults.push('no title');
  for (const landmark of ['main', 'header', 'h1']) {
    if (count(landmark) !== 1) faults.push(`${count(landmark)} × ${landmark}`);
  }
  for (const input of document.querySelectorAll<HTMLInputElement>('input:not([type="hidden"])')) {
    if (!input.labels?.length) faults.push(`input ${input.name} without a label`);
    const described = input.getAttribute('aria-describedby');
    if (described && !document.getElementById(described)) faults.push(`${described} is missing`);
  }
  for (const control of document.querySelectorAll<HTMLElement>('button, a')) {
    if (!control.textContent?.trim()) faults.push(`a ${control.localName} without a name`);
    const { width, height } = control.getBoundingClientRect();
    if (control.localName === 'button' && (width < 44 || height < 24)) faults.push('a button too small');
  }
  for (const image of document.images) if (!image.hasAttribute('alt')) faults.push('an image without alt');
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  if (new Set(ids).size < ids.length) faults.push('an id twice');
  if (document.documentElement.scrollWidth > window.innerWidth) faults.push('scrolls sideways');
  return faults;
}

/** Texts whose contrast with what is behind them is below WCAG AA (4.5 to 1). */
export function findContrastProblems(): string[] {
  const faults: string[] = [];
  for (const element of document.querySelectorAll<HTMLElement>('body *')) {
    const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
    if (!text && element.localName !== 'input') continue;
    const ratio = contrast(channels(getComputedStyle(element).color), groundOf(element));
    if (ratio < 4.5) faults.push(`${element.localName} "${element.textContent}" ${ratio.toFixed(2)}`);
  }
  return faults;

  function groundOf(element: HTMLElement | null): number[] {
    for (let at = element; at; at = at.parentElement) {
      const ground = channels(getComputedStyle(at).backgroundColor);
      if ((ground[3] ?? 1) > 0) return ground;
    }
    return [255, 255, 255];
  }

  function channels(color: string): number[] {
    return (color.match(/[\d.]+/g) ?? []).map(Number);
  }

  function luminance(color: number[]): number {
    const [red = 0, green = 0, blue = 0] = color.slice(0, 3).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }

  function contrast(one: number[], other: number[]): number {
    const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  }
}

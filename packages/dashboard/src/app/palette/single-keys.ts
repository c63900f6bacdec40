/** Where this browser keeps that keys without Ctrl are no shortcuts, for people who speak to it or touch keys unawares. */
const NAME = 'bindery.single-keys';

export function hasSingleKeys(): boolean {
  return localStorage.getItem(NAME) !== 'off';
}

export function setSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(NAME);
  else localStorage.setItem(NAME, 'off');
}

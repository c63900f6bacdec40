import { useSyncExternalStore } from 'react';

export const THEMES = ['system', 'light', 'dark'] as const;
export type ThemeChoice = (typeof THEMES)[number];

/** Read by the service, which sends documents in the chosen theme, so that none is painted in another first. */
const COOKIE = 'bindery-theme';
const YEAR = 31_536_000;

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const meta = document.querySelector<HTMLMetaElement>('meta[name="color-scheme"]');
const listeners = new Set<() => void>();
const otherTabs = new BroadcastChannel('bindery-theme');

prefersDark.addEventListener('change', announce);
otherTabs.addEventListener('message', ({ data }: MessageEvent<ThemeChoice>) => show(data));

/** What this browser's user has chosen. */
export function themeChoice(): ThemeChoice {
  const scheme = meta?.content;
  return scheme === 'light' || scheme === 'dark' ? scheme : 'system';
}

/** The theme that is shown. */
export function shownTheme(): 'light' | 'dark' {
  const choice = themeChoice();
  if (choice !== 'system') return choice;
  return prefersDark.matches ? 'dark' : 'light';
}

/** Shows a theme in all tabs of this browser, and keeps it for later visits. */
export function chooseTheme(choice: ThemeChoice): void {
  const age = choice === 'system' ? 0 : YEAR;
  const secure = location.protocol === 'https:' ? '; secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser has a CookieStore, and none without HTTPS.
  document.cookie = `${COOKIE}=${choice}; path=/; max-age=${age}; samesite=lax${secure}`;
  show(choice);
  otherTabs.postMessage(choice);
}

/** Calls `listener` when the shown theme changes; returns how to stop that. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(onThemeChange, themeChoice);
}

function show(choice: ThemeChoice): void {
  if (meta) meta.content = choice === 'system' ? 'light dark' : choice;
  announce();
}

function announce(): void {
  for (const listener of listeners) listener();
}

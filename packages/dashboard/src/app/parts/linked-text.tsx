import { Fragment } from 'react';
import { SafeLink } from './safe-link.tsx';

const URLS = /(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}'])/i;

/** An author's text, with its web addresses as links. */
export function LinkedText({ text }: { text: string }) {
  // Every second part is a match of the pattern.
  return text.split(URLS).map((part, at) => {
    const key = `${at} ${part}`;
    return at % 2 === 1 ? <SafeLink key={key} href={part} /> : <Fragment key={key}>{part}</Fragment>;
  });
}

import { Fragment } from 'react';

const URLS = /(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}'])/i;

/** An author's text, with its web addresses as links. */
export function LinkedText({ text }: { text: string }) {
  // Every second part is a match of the pattern.
  return text.split(URLS).map((part, at) => {
    const key = `${at} ${part}`;
    return at % 2 === 1 ? <SafeLink key={key} href={part} /> : <Fragment key={key}>{part}</Fragment>;
  });
}

/** A link supplied by an author: plain text unless it is a web URL. Sends no referrer. */
export function SafeLink({ href, children }: { href: string; children?: React.ReactNode }) {
  const label = children ?? href.replace(/^https?:\/\//, '');
  if (!/^https?:\/\//i.test(href) || !URL.canParse(href)) return <>{label}</>;
  return (
    <a href={href} rel="noreferrer noopener nofollow" target="_blank">
      {label}
    </a>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { markdownElement, parseInWorker } from '../../markdown/markdown.ts';
import { linkOf } from '../files/readme-links.ts';
import { startMarkdownWorker } from '../start-worker.ts';
import { LinkedText } from './links.tsx';
import styles from './markdown.module.css';

/** Text without these is the same whether or not it is Markdown. */
const MARKUP = /[*_`#[<>|~\\!]|^\s*(?:[-+]|\d+[.)])\s/m;

/** An author's text of a few lines, as Markdown: as it was written until it is parsed, or if it is too much to parse. */
export function Markdown({ text }: { text: string }) {
  const { data } = useQuery({
    queryKey: ['markdown', text],
    queryFn: () => parseInTurn(text),
    enabled: MARKUP.test(text),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  const place = useRef<HTMLDivElement>(null);
  const nodes = data?.nodes;
  useEffect(() => {
    if (nodes) place.current?.replaceChildren(markdownElement(nodes, { link: linkOf, headingLevel: 2 }));
  }, [nodes]);
  if (nodes) return <div ref={place} className={styles.text} />;
  return (
    <p className={styles.plain}>
      <LinkedText text={text} />
    </p>
  );
}

/** Ends when the last text is parsed: a list of notes needs one worker at a time. */
let turn: Promise<unknown> = Promise.resolve();

function parseInTurn(text: string) {
  const parsed = turn.then(async () => ({ nodes: await parseInWorker(startMarkdownWorker(), text) }));
  turn = parsed.catch(() => undefined);
  return parsed;
}

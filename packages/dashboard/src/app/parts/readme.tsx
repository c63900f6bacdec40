import type { PresignedFile } from '@bindery/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { imagesOf, markdownElement, parseInWorker } from '../../markdown/markdown.ts';
import { linkOf } from '../files/readme-links.ts';
import { messages } from '../messages.ts';
import { renewUrls } from '../queries.ts';
import { startMarkdownWorker } from '../start-worker.ts';
import { InlineError } from './inline-error.tsx';
import styles from './readme.module.css';

/** A README. Its images are fetched from the URLs that `pictures` returns for their addresses in its text. */
export interface ReadmeSource {
  /** What the file belongs to: READMEs with the same text have images of their own. */
  of: readonly (string | null)[];
  file: Pick<PresignedFile, 'path' | 'sha256'>;
  read(signal: AbortSignal): Promise<ArrayBuffer>;
  pictures(hrefs: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
}

/** A README: rendered from Markdown; as plain text if it is a `.txt` file, or too much to parse. */
export function Readme({ source }: { source: ReadmeSource }) {
  const { file } = source;
  const { data, error } = useQuery({
    queryKey: ['readme', source.of, file.path, file.sha256],
    queryFn: ({ signal }) => readReadme(source, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (data) place.current?.replaceChildren(data.show());
  }, [data]);
  return (
    <section aria-label={messages.asset.readme} className={styles.section}>
      <h2>{messages.asset.readme}</h2>
      <InlineError error={error} />
      <div ref={place} className={styles.text} onErrorCapture={() => void renewUrls()} />
    </section>
  );
}

async function readReadme({ file, read, pictures }: ReadmeSource, signal: AbortSignal) {
  const text = new TextDecoder().decode(await read(signal));
  if (/\.txt$/i.test(file.path)) return { show: () => plain(text) };
  const nodes = await parseInWorker(startMarkdownWorker(), text);
  if (nodes === undefined) return { show: () => plain(text) };
  const urls = await pictures(imagesOf(nodes), signal);
  const places = { link: linkOf, image: (href: string) => urls.get(href) ?? null, headingLevel: 3 };
  return { show: () => markdownElement(nodes, places) };
}

function plain(text: string): HTMLElement {
  const made = document.createElement('pre');
  made.textContent = text;
  return made;
}

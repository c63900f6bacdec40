import type { PresignedFile } from '@bindery/contract';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type MouseEvent, useEffect, useRef } from 'react';
import { hrefsOf, type MarkdownOptions, markdownElement, parseInWorker } from '../../markdown/markdown.ts';
import { linkOf } from '../files/readme-links.ts';
import { assetMessages } from '../messages/asset.ts';
import { renewUrls } from '../queries.ts';
import { startMarkdownWorker } from '../start-worker.ts';
import { InlineError } from './inline-error.tsx';
import styles from './markdown.module.css';

/** A README. Its images and relative links lead to the URLs that are returned for their addresses in its text. */
export interface ReadmeSource {
  /** What the file belongs to: READMEs with the same text have images of their own. */
  of: readonly unknown[];
  file: Pick<PresignedFile, 'path' | 'sha256'>;
  read(signal: AbortSignal): Promise<ArrayBuffer>;
  pictures(hrefs: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
  links(hrefs: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
}

/** A README below its heading. */
export function Readme({ source }: { source: ReadmeSource }) {
  return (
    <section aria-label={assetMessages.readme} className={styles.section}>
      <h2>{assetMessages.readme}</h2>
      <MarkdownFile source={source} anchors="readme-" />
    </section>
  );
}

/** A file rendered from Markdown; as plain text if it is a `.txt` file, or too much to parse. */
export function MarkdownFile({
  source,
  anchors,
}: {
  source: ReadmeSource;
  /** Distinguishes the ids of its headings from those of the page; without it they have none. */
  anchors?: string;
}) {
  const { file } = source;
  const { data, error } = useQuery({
    queryKey: ['readme', source.of, file.path, file.sha256],
    queryFn: ({ signal }) => readReadme(source, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  const router = useRouter();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (data) place.current?.replaceChildren(data.show(anchors));
  }, [data, anchors]);
  if (error) return <InlineError error={error} />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is pressed are the links in it
    // biome-ignore lint/a11y/useKeyWithClickEvents: a link that is entered is clicked
    <div
      ref={place}
      className={data || !anchors ? styles.text : 'coming'}
      onErrorCapture={() => void renewUrls()}
      onClick={(event) => openHere(event, (href) => router.history.push(href))}
    />
  );
}

/** Opens a link to a page of the dashboard without loading all of it again. */
function openHere(event: MouseEvent, open: (href: string) => void): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const href = link?.getAttribute('href') ?? '';
  if (!href.startsWith(PAGES) || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey)
    return;
  event.preventDefault();
  open(href);
}

const PAGES = '/app/';

async function readReadme({ file, read, pictures, links }: ReadmeSource, signal: AbortSignal) {
  const text = new TextDecoder().decode(await read(signal));
  if (/\.txt$/i.test(file.path)) return { show: () => plain(text) };
  const nodes = await parseInWorker(startMarkdownWorker(), text);
  if (nodes === undefined) return { show: () => plain(text) };
  const relative = hrefsOf(nodes, 'link').filter((href) => linkOf(href) === null && !href.startsWith('#'));
  const [urls, targets] = await Promise.all([
    pictures(hrefsOf(nodes, 'image'), signal),
    links(relative, signal),
  ]);
  const places: MarkdownOptions = {
    link: (href) => linkOf(href) ?? targets.get(href) ?? null,
    image: (href) => urls.get(href) ?? null,
    headingLevel: 3,
  };
  return {
    show: (anchors?: string) => markdownElement(nodes, { ...places, ...(anchors && { anchors }) }),
  };
}

function plain(text: string): HTMLElement {
  const made = document.createElement('pre');
  made.textContent = text;
  return made;
}

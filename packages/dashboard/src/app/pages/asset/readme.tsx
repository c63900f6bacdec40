import type { AssetDetail, PresignedFile } from '@bindery/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { readAssetFile } from '../../files/asset-files.ts';
import { messages } from '../../messages.ts';
import { Problem } from '../../parts/problem.tsx';
import type { LibraryKey } from '../../queries.ts';
import styles from './readme.module.css';
import { imageOf, linkOf } from './readme-file.ts';

/** The README of an asset: Markdown as its author meant it, other text as it stands. Its pictures are the asset's own files. */
export function Readme({
  library,
  asset,
  file,
}: {
  library: LibraryKey;
  asset: AssetDetail;
  file: PresignedFile;
}) {
  const { data, error } = useQuery({
    queryKey: ['readme', file.sha256],
    queryFn: async ({ signal }) => {
      const bytes = await readAssetFile(library, asset, file.path, signal);
      return { text: new TextDecoder().decode(bytes), ...(await import('../../../markdown.ts')) };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!data) return;
    const isMarkdown = !/\.txt$/i.test(file.path);
    const shown = isMarkdown
      ? data.markdown(data.text, {
          link: linkOf,
          image: (href) => imageOf(asset, file, href),
          headingLevel: 3,
        })
      : plain(data.text);
    place.current?.replaceChildren(shown);
  }, [data, asset, file]);
  return (
    <section aria-label={messages.asset.readme} className={styles.section}>
      <h2>{messages.asset.readme}</h2>
      <Problem error={error} />
      <div ref={place} className={styles.text} />
    </section>
  );
}

function plain(text: string): HTMLElement {
  const made = document.createElement('pre');
  made.textContent = text;
  return made;
}

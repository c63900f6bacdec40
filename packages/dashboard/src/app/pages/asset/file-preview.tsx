import type { PresignedFile } from '@bindery/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { readAssetFile } from '../../files/asset-files.ts';
import { assetMessages } from '../../messages/asset.ts';
import { messages } from '../../messages.ts';
import { Button } from '../../parts/button.tsx';
import { BytesPicture } from '../../parts/bytes-picture.tsx';
import { MarkdownFile } from '../../parts/readme.tsx';
import type { AssetProps } from '../../queries.ts';
import styles from './file-tree.module.css';
import { readmeSource } from './readme-file.ts';
import { pictureType } from './tree.ts';

/** A file that is open for reading. It gets the focus, because what opened it can be far away. */
export function OpenedFile({ onClose, ...of }: Previewed & { onClose: () => void }) {
  const place = useRef<HTMLElement>(null);
  const { path } = of.file;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another file gets the focus too
  useEffect(() => {
    place.current?.focus({ preventScroll: true });
    // What loads above it moves it, until the reader does.
    const layout = new ResizeObserver(() => place.current?.scrollIntoView());
    layout.observe(document.body);
    const gone = new AbortController();
    for (const act of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
      addEventListener(act, () => layout.disconnect(), { passive: true, signal: gone.signal });
    return () => {
      layout.disconnect();
      gone.abort();
    };
  }, [path]);
  return (
    <section ref={place} tabIndex={-1} aria-label={path} className={`stack ${styles.opened}`}>
      <div className="row">
        <h2>{path}</h2>
        <Button label={messages.close} aria-label={assetMessages.closeFile(path)} onClick={onClose} />
      </div>
      {/\.(md|markdown)$/i.test(path) ? (
        <MarkdownFile source={readmeSource(of.library, of.asset, of.file)} />
      ) : (
        <FilePreview {...of} />
      )}
    </section>
  );
}

interface Previewed extends AssetProps {
  file: PresignedFile;
}

/** Images as pictures, anything else as plain text, so that nothing in it is ever executed. */
function FilePreview({ library, asset, file }: Previewed) {
  const { data, error } = useQuery({
    queryKey: ['file', file.sha256],
    queryFn: ({ signal }) => readAssetFile(library, asset, file.path, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  if (error) return <p role="alert">{error.message}</p>;
  if (!data) return <p className="soft">{messages.loading}</p>;
  const type = pictureType(file.path);
  return type ? (
    <BytesPicture bytes={data} type={type} label={file.path} className={styles.image} />
  ) : (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <pre className={`scrolled ${styles.text}`} tabIndex={0}>
      {new TextDecoder().decode(data)}
    </pre>
  );
}

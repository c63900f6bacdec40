import type { PresignedFile } from '@bindery/contract';
import { useMutation } from '@tanstack/react-query';
import { type KeyboardEvent, type MouseEvent, useMemo, useState } from 'react';
import { formatBytes } from '../../../format-quantities.ts';
import { currentUrl } from '../../files/asset-files.ts';
import { saveFrom } from '../../files/save.ts';
import { assetMessages } from '../../messages/asset.ts';
import { libraryMessages } from '../../messages/library.ts';
import { messages } from '../../messages.ts';
import { copyText, FEEDBACK_MS } from '../../parts/copyable.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
import { type AssetProps, assetQuery } from '../../queries.ts';
import { queries } from '../../session.ts';
import { OpenedFile } from './file-preview.tsx';
import styles from './file-tree.module.css';
import { type Folder, isPreviewed, treeOf } from './tree.ts';

export const FILES_ID = 'files';

interface Of extends AssetProps {
  /** The file that is open for reading. */
  opened: PresignedFile | undefined;
  onOpen: (path: string) => void;
}

/** The files of an asset as a tree with sizes and hashes. Each can be downloaded, and what is text or a picture read. */
export function FileTree(of: Of) {
  const { library, asset, opened, onOpen } = of;
  const tree = useMemo(() => treeOf(asset.files), [asset.files]);
  return (
    <section id={FILES_ID} aria-label={assetMessages.files} className={`stack ${styles.section}`}>
      <h2>{assetMessages.files}</h2>
      {opened && (
        <OpenedFile library={library} asset={asset} file={opened} onClose={() => onOpen(opened.path)} />
      )}
      <div className={`surface ${styles.tree}`}>
        <Entries folder={tree} {...of} />
      </div>
    </section>
  );
}

function Entries({ folder, ...of }: Of & { folder: Folder }) {
  return (
    <ul>
      {folder.folders.map((inner) => (
        <li key={inner.name}>
          <details
            open={folder.folders.length + folder.files.length === 1 || of.opened?.path.startsWith(inner.path)}
          >
            <summary className={styles.row}>
              <span className={styles.name}>{inner.name}/</span>
              <span className="small">{libraryMessages.files(inner.count, inner.bytes)}</span>
            </summary>
            <div className={styles.inner}>
              <Entries folder={inner} {...of} />
            </div>
          </details>
        </li>
      ))}
      {folder.files.map((file) => (
        <li key={file.path}>
          <File file={file} {...of} />
        </li>
      ))}
    </ul>
  );
}

function File({ file, opened, onOpen, ...of }: Of & { file: PresignedFile }) {
  const name = file.path.slice(file.path.lastIndexOf('/') + 1);
  const isRead = isPreviewed(file);
  const download = useMutation({
    mutationFn: async () => saveFrom(await currentUrl(of.library, of.asset.id, file.path), name),
  });
  // A click saves the file from a URL that lasts, whichever button and keys are used; the menu of the browser takes the
  // one in the page, which is therefore renewed before.
  const save = (event: MouseEvent) => {
    event.preventDefault();
    if (!download.isPending) download.mutate();
  };
  const renew = () => void queries.prefetchQuery(assetQuery(of.library, of.asset.id));
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of what is in it */}
      <div className={styles.row} onKeyDown={moveWithin}>
        {isRead ? (
          <button
            type="button"
            className={`text-button ${styles.open}`}
            aria-keyshortcuts="ArrowRight"
            aria-current={file.path === opened?.path}
            onClick={() => onOpen(file.path)}
          >
            {name}
          </button>
        ) : (
          <span className={styles.name}>{name}</span>
        )}
        <Digest file={file} />
        <span className="small">{formatBytes(file.size)}</span>
        <a
          className={styles.download}
          tabIndex={isRead ? -1 : 0}
          aria-keyshortcuts="ArrowLeft"
          href={file.url}
          download={name}
          aria-label={assetMessages.download(file.path)}
          onClick={save}
          onAuxClick={(event) => event.button === 1 && save(event)}
          onPointerEnter={renew}
          onFocus={renew}
        >
          ↓
        </a>
      </div>
      <InlineError error={download.error} />
    </>
  );
}

/** A file is one tab stop: arrow keys go from its name to its hash and its download, and back. */
function moveWithin(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step === undefined) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('button, a')];
  stops[stops.indexOf(event.target as HTMLElement) + step]?.focus();
  event.preventDefault();
}

/** The beginning of a file's hash, which a click copies whole. */
function Digest({ file: { path, sha256 } }: { file: PresignedFile }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    setCopied(await copyText(sha256));
    setTimeout(() => setCopied(false), FEEDBACK_MS);
  };
  const shown = isCopied ? messages.copied : sha256.slice(0, 12);
  return (
    <button
      type="button"
      className={`text-button small ${styles.hash}`}
      tabIndex={-1}
      title={sha256}
      aria-label={assetMessages.copyDigest(shown, path)}
      onClick={copy}
    >
      {shown}
    </button>
  );
}

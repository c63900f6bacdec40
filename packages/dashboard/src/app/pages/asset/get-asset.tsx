import type { AssetDetail } from '@bindery/contract';
import { useEffect, useRef, useState } from 'react';
import { packAsset } from '../../files/pack.ts';
import { save } from '../../files/save.ts';
import { messages } from '../../messages.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { pathPython, projectCommand, pullCommand, pullPython } from '../../pull-snippets.ts';
import type { LibraryKey } from '../../queries.ts';
import styles from './get-asset.module.css';

type Download = { state: 'idle' } | { state: 'running'; done: number } | { state: 'failed'; reason: string };

/** A command for the terminal, one for Python, one that adds the asset to a project, and a download. */
export function GetAsset({ library, asset }: { library: LibraryKey; asset: AssetDetail }) {
  const text = messages.asset;
  const total = asset.files.reduce((sum, { size }) => sum + size, 0);
  const [download, setDownload] = useState<Download>({ state: 'idle' });
  const cancel = useRef<AbortController>(null);
  useEffect(() => () => cancel.current?.abort(), []);

  async function downloadAll() {
    cancel.current = new AbortController();
    setDownload({ state: 'running', done: 0 });
    try {
      const onBytes = (done: number) => setDownload({ state: 'running', done });
      save(await packAsset(library, asset, onBytes, cancel.current.signal), `${asset.id}.zip`);
      setDownload({ state: 'idle' });
    } catch (error) {
      if (cancel.current.signal.aborted) setDownload({ state: 'idle' });
      else setDownload({ state: 'failed', reason: error instanceof Error ? error.message : String(error) });
    }
  }

  return (
    <section className={styles.take} aria-label={text.take}>
      <h2 className={styles.heading}>{text.take}</h2>
      <Copyable text={pullCommand(library, asset.id)} label={text.terminal} />
      {library.share === undefined && (
        <>
          {library.release === undefined ? (
            <Copyable text={pullPython(library, asset)} label={text.python} />
          ) : (
            asset.entry !== null && <Copyable text={pathPython(library, asset.id)} label={text.python} />
          )}
          <Copyable text={projectCommand(library, asset.id)} label={text.project} />
        </>
      )}
      {download.state === 'running' ? (
        <div className={styles.progress}>
          <progress max={total} value={download.done} aria-label={text.downloadAll(total)} />
          <span role="status">{text.packing(download.done, total)}</span>
          <button type="button" className={styles.quiet} onClick={() => cancel.current?.abort()}>
            {messages.cancel}
          </button>
        </div>
      ) : (
        <button type="button" className={styles.button} onClick={downloadAll}>
          {text.downloadAll(total)}
        </button>
      )}
      {download.state === 'failed' && (
        <p role="alert" className={styles.failed}>
          {download.reason}
        </p>
      )}
    </section>
  );
}

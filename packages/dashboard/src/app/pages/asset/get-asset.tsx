import type { AssetDetail } from '@bindery/contract';
import { CERTIFIED_KINDS } from '@bindery/contract/wire';
import { Zip, ZipPassThrough } from 'fflate';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { readAssetFile } from '../../files/asset-files.ts';
import { save } from '../../files/save.ts';
import { assetMessages as text } from '../../messages/asset.ts';
import { messages } from '../../messages.ts';
import { Button } from '../../parts/button.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import {
  addressOfAsset,
  INSTALL_COMMAND,
  INSTALL_PYTHON,
  liveUrlOf,
  loginCommand,
  projectCommand,
  pullCommand,
  pullPython,
} from '../../pull-snippets.ts';
import type { LibraryKey } from '../../queries.ts';
import { DownloadAs } from './download-as.tsx';
import styles from './get-asset.module.css';

type Way = keyof typeof text.ways;

/** The ways to get an asset: what to type for each, with what it needs, and a download. */
export function GetAsset({
  library,
  asset,
  shownFile,
  isPrivate,
}: {
  library: LibraryKey;
  asset: AssetDetail;
  /** The entry point that is shown; null if there is none. */
  shownFile: string | null;
  isPrivate: boolean;
}) {
  // Only the command line reads with a share token.
  const isShared = library.share !== undefined;
  const ways: readonly Way[] = isShared
    ? ['commandLine', 'zip']
    : ['commandLine', 'python', 'project', 'zip'];
  const needsLogin = isPrivate && !isShared;
  const panels: Readonly<Record<Way, ReactNode>> = {
    commandLine: (
      <>
        {needsLogin && <SignIn detail={text.signInFirst} />}
        <Copyable text={pullCommand(library, asset.id)} label={text.terminal} />
        {shownFile !== null && <p className={styles.detail}>{text.opens(shownFile)}</p>}
        <Install command={INSTALL_COMMAND} />
      </>
    ),
    python: (
      <>
        {needsLogin && <SignIn detail={text.signInPython} />}
        <Copyable
          text={pullPython(library, asset.id, shownFile, shownFile !== null && shownFile === asset.entry)}
          label={text.python}
        />
        <Install command={INSTALL_PYTHON} />
      </>
    ),
    project: (
      <>
        {needsLogin && <SignIn detail={text.signInFirst} />}
        <Copyable text={projectCommand(library, asset.id)} label={text.project} />
        <p className={styles.detail}>{text.projectDetail}</p>
        <Install command={INSTALL_COMMAND} />
      </>
    ),
    zip: (
      <>
        <Download library={library} asset={asset} />
        <DownloadAs library={library} asset={asset} />
        <p className={styles.detail}>{needsLogin ? text.addressPrivate : text.address}</p>
        <Copyable text={addressOfAsset(library, asset.id)} label={text.address} />
        {!isPrivate && CERTIFIED_KINDS.has(asset.kind) && (
          <p className={styles.detail}>
            <a href={liveUrlOf(library, asset.id)} target="_blank" rel="noreferrer">
              {text.playLive}
            </a>
          </p>
        )}
      </>
    ),
  };
  return (
    <section className={styles.get} aria-label={text.get}>
      <h2 className={styles.heading}>{text.get}</h2>
      <Tabs ways={ways} panels={panels} />
    </section>
  );
}

/** One panel at a time; arrow keys go from tab to tab. */
function Tabs({ ways, panels }: { ways: readonly Way[]; panels: Readonly<Record<Way, ReactNode>> }) {
  const [chosen, setChosen] = useState<Way>('commandLine');
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (ways.indexOf(chosen) + step + ways.length) % ways.length;
    setChosen(ways[next] ?? chosen);
    list.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    <>
      <div ref={list} role="tablist" aria-label={text.get} className={styles.tabs} onKeyDown={move}>
        {ways.map((way) => (
          <button
            key={way}
            type="button"
            role="tab"
            id={`${id}-${way}`}
            aria-selected={way === chosen}
            aria-controls={`${id}-panel-${way}`}
            tabIndex={way === chosen ? 0 : -1}
            onClick={() => setChosen(way)}
          >
            {text.ways[way]}
          </button>
        ))}
      </div>
      {/* All of them stay, so that a download goes on while another is looked at. */}
      {ways.map((way) => (
        <div
          key={way}
          role="tabpanel"
          id={`${id}-panel-${way}`}
          aria-labelledby={`${id}-${way}`}
          hidden={way !== chosen}
          className={styles.panel}
        >
          {panels[way]}
        </div>
      ))}
    </>
  );
}

function SignIn({ detail }: { detail: string }) {
  return (
    <>
      <p className={styles.detail}>{detail}:</p>
      <Copyable text={loginCommand()} label={messages.signIn} />
    </>
  );
}

function Install({ command }: { command: string }) {
  return (
    <details className={styles.install}>
      <summary>{text.install}</summary>
      <p className={styles.detail}>{text.installDetail}</p>
      <Copyable text={command} label={text.install} />
    </details>
  );
}

type DownloadState =
  | { state: 'idle' }
  | { state: 'running'; done: number }
  | { state: 'failed'; reason: string };

function Download({ library, asset }: { library: LibraryKey; asset: AssetDetail }) {
  const total = asset.files.reduce((sum, { size }) => sum + size, 0);
  const [download, setDownload] = useState<DownloadState>({ state: 'idle' });
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
    <>
      {download.state === 'running' ? (
        <div className={styles.progress}>
          <progress max={total} value={download.done} aria-label={text.downloadAll(total)} />
          <span role="status">{text.packing(download.done, total)}</span>
          <Button label={messages.cancel} onClick={() => cancel.current?.abort()} />
        </div>
      ) : (
        <Button isMain label={text.downloadAll(total)} onClick={downloadAll} />
      )}
      {download.state === 'failed' && (
        <p role="alert" className={styles.failed}>
          {download.reason}
        </p>
      )}
    </>
  );
}

const AT_ONCE = 4;

/** Returns an asset's files, each verified, as an uncompressed ZIP archive: meshes and images compress poorly. */
export async function packAsset(
  library: LibraryKey,
  asset: AssetDetail,
  onBytes: (done: number) => void,
  signal: AbortSignal,
): Promise<Blob> {
  const chunks: BlobPart[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk as Uint8Array<ArrayBuffer>);
  });
  let done = 0;
  const waiting = [...asset.files];
  const work = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      const bytes = new Uint8Array(await readAssetFile(library, asset, file.path, signal));
      const entry = new ZipPassThrough(file.path);
      zip.add(entry);
      entry.push(bytes, true);
      done += bytes.length;
      onBytes(done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  zip.end();
  return new Blob(chunks, { type: 'application/zip' });
}

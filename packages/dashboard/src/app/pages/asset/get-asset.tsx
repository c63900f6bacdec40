import { CERTIFIED_KINDS } from '@bindery/contract/wire';
import { useMutation } from '@tanstack/react-query';
import { Zip, ZipPassThrough } from 'fflate';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { bytesOf } from '../../../format-quantities.ts';
import { readAssetFile } from '../../files/asset-files.ts';
import { save } from '../../files/save.ts';
import { assetMessages as text } from '../../messages/asset.ts';
import { messages } from '../../messages.ts';
import { Button } from '../../parts/button.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
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
import type { AssetProps } from '../../queries.ts';
import { DownloadAs } from './download-as.tsx';
import styles from './get-asset.module.css';

type Way = keyof typeof text.ways;

/** The ways to get an asset: what to type for each, with what it needs, and a download. */
export function GetAsset({
  library,
  asset,
  shownFile,
  isPrivate,
}: AssetProps & {
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
  const isEntry = shownFile !== null && shownFile === asset.entry;
  const panels: Readonly<Record<Way, ReactNode>> = {
    commandLine: (
      <Typed
        signIn={needsLogin && text.signInFirst}
        code={pullCommand(library, asset.id)}
        label={text.terminal}
        detail={shownFile !== null && text.opens(shownFile)}
        install={INSTALL_COMMAND}
      />
    ),
    python: (
      <Typed
        signIn={needsLogin && text.signInPython}
        code={pullPython(library, asset.id, shownFile, isEntry)}
        label={text.python}
        install={INSTALL_PYTHON}
      />
    ),
    project: (
      <Typed
        signIn={needsLogin && text.signInFirst}
        code={projectCommand(library, asset.id)}
        label={text.project}
        detail={text.projectDetail}
        install={INSTALL_COMMAND}
      />
    ),
    zip: (
      <>
        <Download library={library} asset={asset} />
        <DownloadAs library={library} asset={asset} />
        <p className="detail">{needsLogin ? text.addressPrivate : text.address}</p>
        <Copyable text={addressOfAsset(library, asset.id)} label={text.address} />
        {!isPrivate && CERTIFIED_KINDS.has(asset.kind) && (
          <p className="detail">
            <a href={liveUrlOf(library, asset.id)} target="_blank" rel="noreferrer">
              {text.playLive}
            </a>
          </p>
        )}
      </>
    ),
  };
  return (
    <section className={`stack surface ${styles.get}`} aria-label={text.get}>
      <h2 className="body-text">{text.get}</h2>
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
      <div ref={list} role="tablist" aria-label={text.get} className={`tabs ${styles.tabs}`} onKeyDown={move}>
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
          className={`stack ${styles.panel}`}
        >
          {panels[way]}
        </div>
      ))}
    </>
  );
}

/** What somebody types who gets an asset, and what it takes before. */
function Typed({
  signIn,
  code,
  label,
  detail = false,
  install,
}: {
  /** Why one signs in first; false if nobody needs to. */
  signIn: string | false;
  code: string;
  label: string;
  detail?: string | false;
  /** The command that installs what runs it. */
  install: string;
}) {
  return (
    <>
      {signIn && <p className="detail">{signIn}:</p>}
      {signIn && <Copyable text={loginCommand()} label={messages.signIn} />}
      <Copyable text={code} label={label} />
      {detail && <p className="detail">{detail}</p>}
      <details className={styles.install}>
        <summary className="detail">{text.install}</summary>
        <p className="detail">{text.installDetail}</p>
        <Copyable text={install} label={text.install} />
      </details>
    </>
  );
}

function Download({ library, asset }: AssetProps) {
  const total = bytesOf(asset.files);
  const [done, setDone] = useState(0);
  const cancel = useRef<AbortController>(null);
  useEffect(() => () => cancel.current?.abort(), []);
  const download = useMutation({
    mutationFn: async () => {
      setDone(0);
      cancel.current = new AbortController();
      save(await packAsset({ library, asset }, setDone, cancel.current.signal), `${asset.id}.zip`);
    },
  });
  const isCancelled = cancel.current?.signal.aborted === true;
  return (
    <>
      {download.isPending ? (
        <div className={`detail ${styles.progress}`}>
          <progress max={total} value={done} aria-label={text.downloadAll(total)} />
          <span role="status">{text.packing(done, total)}</span>
          <Button label={messages.cancel} onClick={() => cancel.current?.abort()} />
        </div>
      ) : (
        <Button isMain label={text.downloadAll(total)} onClick={() => download.mutate()} />
      )}
      <InlineError error={isCancelled ? null : download.error} />
    </>
  );
}

const AT_ONCE = 4;

/** Returns an asset's files, each verified, as an uncompressed ZIP archive: meshes and images compress poorly. */
export async function packAsset(
  { library, asset }: AssetProps,
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

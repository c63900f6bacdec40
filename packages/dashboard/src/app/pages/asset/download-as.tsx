import type { AssetDetail } from '@bindery/contract';
import {
  CERTIFIED_KINDS,
  CONVERSION_FORMATS,
  type ConversionFormat,
  LOSSES_HEADER,
  rawPath,
} from '@bindery/contract/wire';
import { useEffect, useRef, useState } from 'react';
import { save } from '../../files/save.ts';
import { assetMessages as text } from '../../messages/asset.ts';
import { Button } from '../../parts/button.tsx';
import type { LibraryKey } from '../../queries.ts';
import { readSession } from '../../session.ts';
import styles from './get-asset.module.css';

/** What the service converts an asset to: a robot to all other formats, a mesh to those of meshes. */
function formatsFor({ kind, format }: AssetDetail): readonly ConversionFormat[] {
  if (CERTIFIED_KINDS.has(kind)) return CONVERSION_FORMATS.filter((as) => as !== kind);
  return kind === 'mesh' ? (['glb', 'usd'] as const).filter((as) => as !== format) : [];
}

type State =
  | { state: 'idle' }
  | { state: 'running'; as: ConversionFormat }
  | { state: 'done'; as: ConversionFormat; losses: string | null }
  | { state: 'failed'; reason: string };

/** Downloads of an asset in other formats, converted by the service. */
export function DownloadAs({ library, asset }: { library: LibraryKey; asset: AssetDetail }) {
  const [download, setDownload] = useState<State>({ state: 'idle' });
  const cancel = useRef<AbortController>(null);
  useEffect(() => () => cancel.current?.abort(), []);
  const formats = formatsFor(asset);
  if (formats.length === 0) return null;

  async function convert(as: ConversionFormat) {
    cancel.current?.abort();
    cancel.current = new AbortController();
    const { signal } = cancel.current;
    setDownload({ state: 'running', as });
    try {
      const losses = await saveConverted(library, asset.id, as, signal);
      if (!signal.aborted) setDownload({ state: 'done', as, losses });
    } catch (error) {
      if (!signal.aborted)
        setDownload({ state: 'failed', reason: error instanceof Error ? error.message : String(error) });
    }
  }

  return (
    <fieldset className={styles.formats}>
      <legend>{text.downloadAs}</legend>
      {formats.map((as) => (
        <Button
          label={as.toUpperCase()}
          key={as}
          disabled={download.state === 'running' && download.as === as}
          onClick={() => convert(as)}
        />
      ))}
      {download.state === 'running' && <p role="status">{text.converting(download.as.toUpperCase())}</p>}
      {download.state === 'done' && (
        <p role="status">{text.converted(download.as.toUpperCase(), download.losses)}</p>
      )}
      {download.state === 'failed' && (
        <p role="alert" className={styles.failed}>
          {download.reason}
        </p>
      )}
    </fieldset>
  );
}

/** Returns what the conversion lost, if anything. Throws an error with the service's reason. */
async function saveConverted(
  { namespace, library: name, release, share }: LibraryKey,
  id: string,
  as: ConversionFormat,
  signal: AbortSignal,
): Promise<string | null> {
  const session = share === undefined ? await readSession() : null;
  const query = new URLSearchParams({ as, ...(share !== undefined && { share }) });
  const response = await fetch(`${rawPath({ namespace, name, release }, id)}?${query}`, {
    credentials: 'omit',
    headers: session === null ? {} : { authorization: `Bearer ${session.token}` },
    signal,
  });
  if (!response.ok) {
    const { message } = (await response.json().catch(() => ({}))) as { message?: unknown };
    throw new Error(typeof message === 'string' ? message : text.notConverted(as.toUpperCase()));
  }
  const [, fileName = `${id}.${as}`] =
    /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  save(await response.blob(), fileName);
  return response.headers.get(LOSSES_HEADER);
}

import type { AssetDetail } from '@bindery/contract';
import {
  CERTIFIED_KINDS,
  CONVERSION_FORMATS,
  type ConversionFormat,
  LOSSES_HEADER,
  rawPath,
} from '@bindery/contract/wire';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { save } from '../../files/save.ts';
import { assetMessages as text } from '../../messages/asset.ts';
import { Button } from '../../parts/button.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
import type { AssetProps, LibraryKey } from '../../queries.ts';
import { readSession } from '../../session.ts';
import styles from './get-asset.module.css';

/** What the service converts an asset to: a robot to all other formats, a mesh to those of meshes. */
function formatsFor({ kind, format }: AssetDetail): readonly ConversionFormat[] {
  if (CERTIFIED_KINDS.has(kind)) return CONVERSION_FORMATS.filter((as) => as !== kind);
  return kind === 'mesh' ? (['glb', 'usd'] as const).filter((as) => as !== format) : [];
}

/** Downloads of an asset in other formats, converted by the service. */
export function DownloadAs({ library, asset }: AssetProps) {
  const cancel = useRef<AbortController>(null);
  useEffect(() => () => cancel.current?.abort(), []);
  const download = useMutation({
    mutationFn: (as: ConversionFormat) => {
      cancel.current?.abort();
      cancel.current = new AbortController();
      return saveConverted(library, asset.id, as, cancel.current.signal);
    },
  });
  const formats = formatsFor(asset);
  if (formats.length === 0) return null;
  const as = download.variables?.toUpperCase() ?? '';
  return (
    <fieldset className={`row ${styles.formats}`}>
      <legend className="detail">{text.downloadAs}</legend>
      {formats.map((format) => (
        <Button
          label={format.toUpperCase()}
          key={format}
          disabled={download.isPending && download.variables === format}
          onClick={() => download.mutate(format)}
        />
      ))}
      {(download.isPending || download.isSuccess) && (
        <p role="status" className="detail">
          {download.isPending ? text.converting(as) : text.converted(as, download.data)}
        </p>
      )}
      <InlineError error={download.error} />
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

import { routes } from '@bindery/contract/wire';
import { readQuery } from '@bindery/sdk/browser';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { encode } from 'uqr';
import { readAssetFile } from '../../files/asset-files.ts';
import { assetMessages } from '../../messages/asset.ts';
import { Button } from '../../parts/button.tsx';
import type { AssetProps } from '../../queries.ts';
import { queryOf } from '../../session.ts';
import type { EntryPoint } from './entry-points.ts';
import styles from './present.module.css';
import { Viewer } from './viewer.tsx';

/** How long each asset is presented, in milliseconds, and how many of a library take turns. */
const EACH = 20_000;
const MOST = 200;

/**
 * An asset for people who walk by: it turns and plays its animation, with its name and a code that leads to its page;
 * then comes the next one of its library.
 */
export function Present({
  library,
  asset,
  shown,
  license,
  onNext,
  onClose,
}: AssetProps & {
  shown: EntryPoint;
  license: string | null;
  onNext: (asset: string) => void;
  onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    // Keys in the frame do not reach the page, and Escape ends this.
    dialog.current?.querySelector('button')?.focus();
  }, []);
  const { namespace, library: name, share, release } = library;
  const { data } = useQuery(
    queryOf(
      ['library', namespace, name, share ?? null, release ?? null, 'presented'],
      routes.search.searchLibrary,
      { params: { namespace, name }, query: { ...readQuery({ share, release }), limit: MOST } },
    ),
  );
  const others = data?.hits.filter(({ entry }) => entry !== null).map(({ assetId }) => assetId) ?? [];
  const next = others[(others.indexOf(asset.id) + 1) % others.length];
  const goOn = useRef(onNext);
  goOn.current = onNext;
  useEffect(() => {
    if (next === undefined || next === asset.id) return;
    const timer = setTimeout(() => goOn.current(next), EACH);
    return () => clearTimeout(timer);
  }, [next, asset.id]);
  const title = asset.title ?? asset.id;
  const page = new URL(location.href);
  page.searchParams.delete('present');
  return (
    <dialog ref={dialog} aria-label={title} className={styles.present} onCancel={onClose} onClose={onClose}>
      <Viewer
        key={`${asset.id} ${shown.file}`}
        asset={asset}
        shown={shown}
        read={(path, signal) => readAssetFile(library, asset, path, signal)}
        onMeasured={() => {}}
        isPresented
      />
      <div className={styles.words}>
        <div>
          <h1>{title}</h1>
          <p>
            {license ?? assetMessages.noLicense} · {namespace}/{name}
          </p>
        </div>
        <Code text={page.href} />
        <Button label={assetMessages.endPresenting} onClick={onClose} />
      </div>
    </dialog>
  );
}

/** A QR code. */
function Code({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 2 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x},${y}h1v1h-1z` : [])));
  return (
    <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={assetMessages.code} className={styles.code}>
      <path d={dark.join('')} shapeRendering="crispEdges" />
    </svg>
  );
}

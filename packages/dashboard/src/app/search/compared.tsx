import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { compareMessages } from '../messages/compare.ts';
import { Button } from '../parts/button.tsx';
import { queries } from '../session.ts';
import { type AssetName, writeAssetName } from '../url.ts';
import styles from './compared.module.css';

/** An asset that was ticked. */
export interface Ticked extends AssetName {
  title: string;
  share?: string | undefined;
}

const tickedQuery = queryOptions<readonly Ticked[]>({
  queryKey: ['ticked'],
  queryFn: skipToken,
  gcTime: Number.POSITIVE_INFINITY,
});

const useTicked = () => useQuery(tickedQuery).data ?? [];

function tick(next: readonly Ticked[]): void {
  queries.setQueryData(tickedQuery.queryKey, next.slice(-2));
}

/** Ticks an asset to compare it with another one. Of three, the last two stay ticked. */
export function CompareTick({ asset, hasLabel = false }: { asset: Ticked; hasLabel?: boolean }) {
  const name = writeAssetName(asset);
  const others = useTicked().filter((one) => writeAssetName(one) !== name);
  const isTicked = others.length < useTicked().length;
  return (
    <label className={hasLabel ? `quiet ${styles.labelled}` : styles.tick} title={compareMessages.open}>
      <input
        type="checkbox"
        aria-label={compareMessages.choose(asset.title)}
        checked={isTicked}
        onChange={() => tick(isTicked ? others : [...others, asset])}
      />
      {hasLabel && compareMessages.open}
    </label>
  );
}

/** What is ticked, below every page: leads to the two side by side. */
export function CompareBar() {
  const [one, other] = useTicked();
  return (
    <div role="status">
      {one && (
        <div className={`surface ${styles.bar}`}>
          {other ? (
            <Link
              to="/$namespace/$library/$asset"
              params={one}
              search={{ share: one.share, release: one.release, with: writeAssetName(other) }}
              className={styles.open}
              onClick={() => tick([])}
            >
              {compareMessages.choose(compareMessages.both(one.title, other.title))}
            </Link>
          ) : (
            compareMessages.chosen(one.title)
          )}
          <Button label={compareMessages.clear} onClick={() => tick([])} />
        </div>
      )}
    </div>
  );
}

import type { AssetDetail } from '@bindery/contract';
import { type ReactNode, useState } from 'react';
import type { ViewerStatistics } from '../../../viewer-protocol.ts';
import { formatName } from '../../format.ts';
import { compareMessages } from '../../messages/compare.ts';
import { Thumbnail } from '../../parts/thumbnail.tsx';
import { entryPointsOf } from '../asset/entry-points.ts';
import { Viewer } from '../asset/viewer.tsx';
import styles from './compared-models.module.css';
import { SharedCamera } from './shared-camera.ts';

export interface ComparedModel {
  /** What it is called beside the other one. */
  caption: ReactNode;
  asset: AssetDetail;
  read: (path: string, signal: AbortSignal) => Promise<ArrayBuffer>;
}

/**
 * Two models seen by one camera, at one scale: side by side, or one over the other up to a line that moves, for two
 * states of the same model.
 */
export function ComparedModels({
  models,
  isOver = false,
  onMeasured,
}: {
  models: readonly [ComparedModel, ComparedModel];
  isOver?: boolean;
  onMeasured: (side: number, statistics: ViewerStatistics) => void;
}) {
  const [camera] = useState(() => new SharedCamera(isOver));
  const [share, setShare] = useState(50);
  return (
    <div className={isOver ? styles.over : styles.beside} style={{ ['--share' as string]: `${share}%` }}>
      {models.map(({ caption, asset, read }, side) => {
        const [shown] = entryPointsOf(asset);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the two may be the same asset
          <div key={side} className={styles.model}>
            {!isOver && <h2 className={styles.caption}>{caption}</h2>}
            {shown ? (
              <Viewer
                asset={asset}
                shown={shown}
                read={read}
                onMeasured={(statistics) => onMeasured(side, statistics)}
                onCamera={(place, viewer) => camera.moved(side, viewer, place)}
                isFolded
              />
            ) : (
              <Thumbnail url={asset.thumbnailUrl} srcset={asset.thumbnailSrcset} kind={formatName(asset)} />
            )}
          </div>
        );
      })}
      {isOver && (
        <div className={styles.line}>
          {models[0].caption}
          <input
            type="range"
            aria-label={compareMessages.line}
            value={share}
            onChange={({ target }) => setShare(target.valueAsNumber)}
          />
          {models[1].caption}
        </div>
      )}
    </div>
  );
}

import viewerCode from 'virtual:viewer-code';
import type { AssetDetail } from '@bindery/contract';
import { useEffect, useRef, useState } from 'react';
import { openViewer } from '../../../open-viewer.ts';
import type { ViewerState, ViewerStatistics } from '../../../viewer-protocol.ts';
import { readAssetFile } from '../../files/asset-files.ts';
import { save } from '../../files/save.ts';
import { messages } from '../../messages.ts';
import { pressShortcut } from '../../palette/press-shortcut.ts';
import type { LibraryKey } from '../../queries.ts';
import { onThemeChange, shownTheme } from '../../theme.ts';
import type { EntryPoint } from './entry-points.ts';
import { FILES_ID } from './file-tree.tsx';
import styles from './viewer.module.css';

/**
 * The frame that shows the asset, with its thumbnail until it has loaded. The thumbnail hides the progress that the frame
 * shows, so the page shows it. Each asset gets its own frame.
 */
export function Viewer({
  library,
  asset,
  shown,
  onMeasured,
}: {
  library: LibraryKey;
  asset: AssetDetail;
  shown: EntryPoint;
  onMeasured: (statistics: ViewerStatistics) => void;
}) {
  const stage = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<ViewerState>({ status: 'loading', bytesRead: 0 });
  const title = asset.title ?? asset.id;
  // What the page was opened with; it does not change while the page is open.
  const opened = useRef({ library, asset, onMeasured });

  useEffect(() => {
    const { library, asset, onMeasured } = opened.current;
    const gone = new AbortController();
    const frame = document.createElement('iframe');
    frame.title = messages.asset.viewer(title);
    frame.className = styles.frame ?? '';
    stage.current?.append(frame);
    const viewer = openViewer(
      frame,
      { kind: asset.kind, entry: shown.file, files: asset.files.map(({ path, size }) => ({ path, size })) },
      (path) => readAssetFile(library, asset, path, gone.signal),
      {
        theme: shownTheme(),
        code: viewerCode,
        onState: (state) => {
          setState(state);
          if (state.status !== 'loading') onMeasured(state.status === 'shown' ? state.statistics : {});
        },
        onPicture: (picture) => save(picture, `${asset.id}.png`),
        onShowFiles: () => document.getElementById(FILES_ID)?.scrollIntoView(),
        // Only the user can give the frame the focus, so it cannot open anything by itself.
        onShortcut: (shortcut) => document.activeElement === frame && pressShortcut(shortcut),
      },
    );
    const forgetTheme = onThemeChange(() => viewer.setTheme(shownTheme()));
    return () => {
      gone.abort();
      forgetTheme();
      viewer.close();
      frame.remove();
    };
  }, [title, shown.file]);

  return (
    <div ref={stage} className={styles.stage} data-viewer={state.status}>
      {state.status !== 'shown' && asset.thumbnailUrl && (
        <img
          {...(asset.thumbnailSrcset && { sizes: '40rem', srcSet: asset.thumbnailSrcset })}
          src={asset.thumbnailUrl}
          alt=""
          className={styles.picture}
        />
      )}
      {state.status === 'loading' && (asset.thumbnailUrl || state.bytesRead === 0) && (
        <p aria-hidden="true" className={styles.progress}>
          {messages.asset.loading(state.bytesRead)}
        </p>
      )}
      <p role="status" className="visually-hidden">
        {state.status === 'loading' ? messages.loading : state.status === 'refused' ? state.reason : ''}
      </p>
    </div>
  );
}

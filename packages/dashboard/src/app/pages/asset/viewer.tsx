import viewerCode from 'virtual:viewer-code';
import type { AssetDetail } from '@bindery/contract';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type OpenedViewer, openViewer } from '../../../open-viewer.ts';
import type { CameraPlace, ViewerState, ViewerStatistics } from '../../../viewer-protocol.ts';
import { save } from '../../files/save.ts';
import { assetMessages } from '../../messages/asset.ts';
import { messages } from '../../messages.ts';
import { pressShortcut } from '../../palette/keys.ts';
import { copyText, FEEDBACK_MS } from '../../parts/copyable.tsx';
import { onThemeChange, shownTheme } from '../../theme.ts';
import type { EntryPoint } from './entry-points.ts';
import { FILES_ID } from './file-tree.tsx';
import styles from './viewer.module.css';

/**
 * Removes a frame once its graphics are idle. The browser would make the whole page wait for what is being drawn, which
 * takes many seconds for many splats without a graphics card. Where a frame cannot be moved, it is removed at once.
 */
async function retire(frame: HTMLIFrameElement, viewer: OpenedViewer): Promise<void> {
  const closed = viewer.close();
  frame.style.display = 'none';
  if (document.body.moveBefore !== undefined) {
    document.body.moveBefore(frame, null);
    await closed;
  }
  frame.remove();
}

/** The address of this page with a view. */
function addressOf(view: string): string {
  const address = new URL(location.href);
  address.searchParams.delete('file');
  address.searchParams.set('view', view);
  return address.href;
}

/**
 * The frame that shows the asset, with its thumbnail until it has loaded. The thumbnail hides the progress that the frame
 * shows, so the page shows it. Each asset gets its own frame.
 */
export function Viewer({
  read,
  asset,
  shown,
  view,
  onMeasured,
  onView,
  onCamera,
  isFolded = false,
  isPresented = false,
}: {
  /** Returns the bytes of one of the asset's files, checked. */
  read: (path: string, signal: AbortSignal) => Promise<ArrayBuffer>;
  asset: AssetDetail;
  shown: EntryPoint;
  /** The view in the page's address. */
  view?: string | undefined;
  onMeasured: (statistics: ViewerStatistics) => void;
  /** Called with a view that somebody wants a link to, if the link could not be copied. */
  onView?: (view: string) => void;
  /** Called with where the camera is: once the model is shown, and whenever it has moved. */
  onCamera?: (camera: CameraPlace, viewer: OpenedViewer) => void;
  /** Whether its controls are folded at first. */
  isFolded?: boolean;
  /** Whether it turns and plays by itself, without controls. */
  isPresented?: boolean;
}) {
  const stage = useRef<HTMLDivElement>(null);
  const [copied, setCopied] = useState<boolean | null>(null);
  const [state, setState] = useState<ViewerState>({ status: 'loading', bytesRead: 0 });
  const title = asset.title ?? asset.id;
  // What the page was opened with; it does not change while the page is open.
  const opened = useRef({ read, asset, view, onMeasured, onView, onCamera, isFolded, isPresented });
  const viewer = useRef<OpenedViewer>(null);
  // The view that the frame has sent or been sent last.
  const known = useRef(view);
  useEffect(() => {
    if (view !== undefined && view !== known.current) viewer.current?.showView(view);
    known.current = view;
  }, [view]);

  // A layout effect ends while the frame is still in the page.
  useLayoutEffect(() => {
    const { read, asset, view, onMeasured, onView, onCamera, isFolded, isPresented } = opened.current;
    const gone = new AbortController();
    const frame = document.createElement('iframe');
    frame.title = assetMessages.viewer(title);
    frame.className = styles.frame ?? '';
    const place = stage.current;
    place?.append(frame);
    // Only the user can give the frame the focus, so it cannot do anything to the page by itself.
    const isActive = () => document.activeElement === frame;
    const opening = openViewer(
      frame,
      { kind: asset.kind, entry: shown.file, files: asset.files.map(({ path, size }) => ({ path, size })) },
      (path) => read(path, gone.signal),
      {
        theme: shownTheme(),
        code: viewerCode,
        view,
        isFolded,
        isPresented,
        onState: (state) => {
          setState(state);
          if (state.status !== 'loading') onMeasured(state.status === 'shown' ? state.statistics : {});
        },
        ...(onCamera && { onCamera: (camera: CameraPlace) => onCamera(camera, opening) }),
        onPicture: (picture) => save(picture, `${asset.id}.png`),
        ...(!onCamera && {
          onView: (view: string) => {
            if (!isActive()) return;
            void copyText(addressOf(view)).then((isCopied) => {
              setCopied(isCopied);
              setTimeout(() => setCopied(null), FEEDBACK_MS);
              if (isCopied) return;
              known.current = view;
              onView?.(view);
            });
          },
        }),
        ...(document.fullscreenEnabled &&
          !onCamera && {
            onFullScreen: (isOn: boolean) => {
              if (isActive()) void (isOn ? place?.requestFullscreen() : document.exitFullscreen());
            },
          }),
        onShowFiles: () => document.getElementById(FILES_ID)?.scrollIntoView(),
        onShortcut: (shortcut) => isActive() && pressShortcut(shortcut),
      },
    );
    viewer.current = opening;
    const forgetTheme = onThemeChange(() => opening.setTheme(shownTheme()));
    const changeSize = () => opening.setFullScreen(document.fullscreenElement === place);
    place?.addEventListener('fullscreenchange', changeSize);
    return () => {
      gone.abort();
      forgetTheme();
      place?.removeEventListener('fullscreenchange', changeSize);
      void retire(frame, opening);
    };
  }, [title, shown.file]);

  return (
    <div ref={stage} className={styles.stage} data-viewer={state.status}>
      {asset.thumbnailUrl && (
        <img
          {...(asset.thumbnailSrcset && { sizes: '40rem', srcSet: asset.thumbnailSrcset })}
          src={asset.thumbnailUrl}
          alt=""
          className={styles.picture}
        />
      )}
      {state.status === 'loading' && (asset.thumbnailUrl || state.bytesRead === 0) && (
        <p aria-hidden="true" className={styles.progress}>
          {assetMessages.loading(state.bytesRead)}
        </p>
      )}
      <p role="status" className={copied === null ? 'visually-hidden' : styles.copied}>
        {copied === null ? '' : copied ? assetMessages.linkCopied : assetMessages.linkInAddress}
      </p>
      <p role="status" className="visually-hidden">
        {state.status === 'loading' ? messages.loading : state.status === 'refused' ? state.reason : ''}
      </p>
    </div>
  );
}

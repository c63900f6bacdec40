import viewerCode from 'virtual:viewer-code';
import { openViewer, type ViewerOptions } from '../../open-viewer.ts';
import type { ViewerAsset } from '../../viewer-protocol.ts';

/** The longest that it may take, in milliseconds. */
const TIMEOUT = 120_000;

/**
 * Has a viewer's frame within `place` read an asset, as it reads what it shows. `options` says what ends it. Rejects with
 * the reason in words if the asset cannot be read, and with `late` if that takes too long.
 */
export async function readInFrame<Result>(
  place: HTMLElement,
  title: string,
  asset: ViewerAsset,
  read: (path: string, signal: AbortSignal) => Promise<ArrayBuffer>,
  options: (
    result: Pick<PromiseWithResolvers<Result>, 'resolve' | 'reject'>,
  ) => Pick<ViewerOptions, 'onThumbnail' | 'onDescribed'>,
  { signal, late }: { signal: AbortSignal; late: string },
): Promise<Result> {
  const frame = document.createElement('iframe');
  frame.title = title;
  place.replaceChildren(frame);
  const result = Promise.withResolvers<Result>();
  const timeout = AbortSignal.timeout(TIMEOUT);
  const ended = AbortSignal.any([signal, timeout]);
  ended.addEventListener('abort', () => result.reject(timeout.aborted ? new Error(late) : signal.reason));
  const viewer = openViewer(frame, asset, (path) => read(path, ended), {
    theme: 'light',
    code: viewerCode,
    onState: (state) => {
      if (state.status === 'refused') result.reject(new Error(state.reason));
    },
    ...options(result),
  });
  try {
    return await result.promise;
  } finally {
    void viewer.close();
    frame.remove();
  }
}

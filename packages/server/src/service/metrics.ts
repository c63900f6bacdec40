/** The port to metrics: what the service counts. Times are seconds, sizes bytes. */
export interface Metrics {
  /** `route` is the pattern (`/libraries/:name`), never the path, so that the number of series stays bounded. */
  requestAnswered(request: { method: string; route: string; status: number; seconds: number }): void;
  /** Bytes of objects that came in through, or went out of, presigned addresses of this process. */
  bytesTransferred(direction: 'in' | 'out', bytes: number): void;
}

/** Where nobody asked for metrics nothing is counted. */
export const NO_METRICS: Metrics = {
  requestAnswered() {},
  bytesTransferred() {},
};

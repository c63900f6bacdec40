import type { WebGLRenderer } from 'three';

/** When frames are drawn: after a change, and one after another while anything moves. */
export class Frames {
  readonly #renderer: WebGLRenderer;
  readonly #isSoftware: boolean;
  readonly #draw: (isAnimated: boolean) => void;
  readonly #ticks = new Set<(seconds: number) => void>();
  #isQueued = false;
  /** Without a GPU: whether a frame is still being drawn, and whether another one is due after it. */
  #isBusy = false;
  #isDue = false;
  #isStopped = false;
  #lastTick = 0;
  #drawn: PromiseWithResolvers<void> | undefined;

  constructor(renderer: WebGLRenderer, isSoftware: boolean, draw: (isAnimated: boolean) => void) {
    this.#renderer = renderer;
    this.#isSoftware = isSoftware;
    this.#draw = draw;
  }

  /** Schedules a frame. */
  request(): void {
    this.#isDue = this.#isBusy;
    if (this.#isQueued || this.#isBusy) return;
    this.#isQueued = true;
    requestAnimationFrame((time) => this.#next(time));
  }

  /** Calls `tick` before every frame and draws continuously, until the returned function is called. */
  animate(tick: (seconds: number) => void): () => void {
    this.#ticks.add(tick);
    this.#lastTick = performance.now();
    this.request();
    return () => this.#ticks.delete(tick);
  }

  endAnimations(): void {
    this.#ticks.clear();
  }

  /** Resolves when the next frame has been drawn and the GPU has finished it. */
  whenDrawn(): Promise<void> {
    this.#drawn ??= Promise.withResolvers();
    this.request();
    return this.#drawn.promise;
  }

  /** Draws no more frames. Resolves when the GPU has finished those that it has begun. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#whenIdle();
  }

  #next(time: number): void {
    this.#isQueued = false;
    if (this.#isStopped) return;
    const seconds = Math.min(Math.max(0, time - this.#lastTick) / 1000, 0.1);
    this.#lastTick = time;
    for (const tick of this.#ticks) tick(seconds);
    const isAnimated = this.#ticks.size > 0;
    this.#draw(isAnimated);
    if (this.#drawn !== undefined) void this.#whenIdle().then(this.#drawn.resolve);
    this.#drawn = undefined;
    if (this.#isSoftware) void this.#rest();
    if (isAnimated) this.request();
  }

  /** Frames that wait for the processor would hold up the whole page, with what is clicked in it. */
  async #rest(): Promise<void> {
    this.#isBusy = true;
    await this.#whenIdle();
    this.#isBusy = false;
    if (this.#isDue) this.request();
  }

  /** Resolves when the GPU has finished, which can be long after it received its commands. */
  async #whenIdle(): Promise<void> {
    const gl = this.#renderer.getContext() as WebGL2RenderingContext;
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    const isPending = () => fence !== null && gl.getSyncParameter(fence, gl.SYNC_STATUS) === gl.UNSIGNALED;
    while (!gl.isContextLost() && isPending()) await new Promise((resolve) => setTimeout(resolve, 4));
    if (fence !== null) gl.deleteSync(fence);
  }
}

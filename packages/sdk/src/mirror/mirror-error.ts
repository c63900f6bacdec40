/** A mirror lacks an object, or does not respond as a mirror does. Nothing of what it sent was kept. */
export class MirrorError extends Error {
  override readonly name = 'MirrorError';
  /** The mirror, as the caller named it. */
  readonly location: string;

  constructor(location: string, problem: string) {
    super(`the mirror ${location} ${problem}`);
    this.location = location;
  }
}

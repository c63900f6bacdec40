/** A mirror lacks an object, or does not answer as a mirror does. Whatever it is, nothing of it was kept. */
export class MirrorError extends Error {
  override readonly name = 'MirrorError';
  /** The mirror, as it was named. */
  readonly location: string;

  constructor(location: string, problem: string) {
    super(`the mirror ${location} ${problem}`);
    this.location = location;
  }
}

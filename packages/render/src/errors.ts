/** The asset cannot be drawn; the message is the warning that its author reads. */
export class Unrenderable extends Error {
  override name = 'Unrenderable';
}

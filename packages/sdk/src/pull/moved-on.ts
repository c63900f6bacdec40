/** The library got a new revision while the old one was being read; what is planned must be planned anew. */
export class MovedOn extends Error {
  override readonly name = 'MovedOn';
}

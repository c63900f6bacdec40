/** Why a signature, or a log of them, is refused. */
export type SignatureProblem =
  /** A statement, or a signature, does not have the form that it must have. */
  | 'malformed_statement'
  | 'malformed_signature'
  /** It was made for another purpose than signing entries of logs. */
  | 'other_purpose'
  /** It is not of this statement. */
  | 'wrong_signature'
  /** The statement is about another library, another place in the log, or follows other entries. */
  | 'other_library'
  | 'other_place'
  | 'other_history'
  /** Its key was never allowed, or not any more. */
  | 'unknown_key'
  | 'revoked_key'
  /** It changes nothing about a key, or would leave none. */
  | 'useless_key_change'
  | 'last_key'
  /** The name of the release was signed for other contents. */
  | 'signed_before'
  | 'too_many_entries'
  /** The log lacks entries that were there before, or has others in their place. */
  | 'truncated_log'
  | 'forked_log'
  /** Nobody signed the library, or the release. */
  | 'unsigned'
  /** The contents are not those that were signed. */
  | 'other_contents'
  /** The signer is not among those that the caller trusts. */
  | 'untrusted_signer'
  /** What this machine remembers of the log is damaged. */
  | 'damaged_memory';

/** A signature, or a log of them, is refused. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
  readonly problem: SignatureProblem;

  constructor(problem: SignatureProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** The exit codes of the process. */
export const EXIT = {
  done: 0,
  /** `library stat`: stale or absent. */
  stale: 1,
  /** A failure of any command that has no code of its own, such as a defect or a full disk. */
  failed: 1,
  usage: 2,
  /** Network or server. */
  network: 3,
  /** Sign-in or permission. */
  permission: 4,
  notFound: 5,
  conflict: 6,
  /** Bytes do not match their hash. */
  integrity: 7,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Where programs and files are, which language is spoken, how Node and native libraries are set up: nothing secret. */
const PASSED = new RegExp(
  `^(?:${[
    'PATH|PATHEXT|HOME|USERPROFILE|USER|LOGNAME|SHELL|ComSpec|TMPDIR|TEMP|TMP|TZ|LANG|LANGUAGE|LC_\\w+',
    'SystemRoot|SystemDrive|windir|APPDATA|LOCALAPPDATA|ProgramData|ProgramFiles',
    'NODE_(?:OPTIONS|PATH|ENV|COMPILE_CACHE|DISABLE_COMPILE_CACHE|V8_COVERAGE|NO_WARNINGS|EXTRA_CA_CERTS)',
    'UV_THREADPOOL_SIZE|LD_LIBRARY_PATH|LD_PRELOAD|DYLD_\\w+|MALLOC_\\w+|OMP_\\w+|VIPS_\\w+',
  ].join('|')})$`,
  'i',
);

/** The variables for a program that works on the contents of others: it gets no token and no password of this one. */
export function neutralEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => PASSED.test(name)));
}

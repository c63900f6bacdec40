import { baseName } from '@bindery/formats';

const LICENSE =
  /^(?:licen[cs]es?|copying|unlicense|notice|legal)(?:[-_. ][\w-]+)*?(?:\.(?:txt|md|markdown|rst|html?))?$/i;
const README = /^readme(?:\.(?:txt|md|markdown|rst))?$/i;
const ABOUT =
  /^(?:readme|changelog|changes|history|contributing|contributors|authors|code_of_conduct|security|citation|maintainers|install|todo|faq)(?:[-_.].*)?$/i;
const TOOLS =
  /^(?:makefile|cmakelists\.txt|dockerfile|setup\.(?:py|cfg)|pyproject\.toml|requirements[\w-]*\.txt|package(?:-lock)?\.json|pixi\.(?:toml|lock)|colcon\.(?:meta|pkg)|.*\.rosinstall|.*\.repos)$/i;

export function isLicenseFile(path: string): boolean {
  return LICENSE.test(baseName(path));
}

export function isReadme(path: string): boolean {
  return README.test(baseName(path));
}

/** Whether a file next to assets is about the whole collection and not part of it. */
export function isAboutTheCollection(path: string): boolean {
  const name = baseName(path);
  return LICENSE.test(name) || ABOUT.test(name) || TOOLS.test(name);
}

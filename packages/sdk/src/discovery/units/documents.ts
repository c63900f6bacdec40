import { baseName } from '@bindery/formats';

const LICENSE =
  /^(?:licen[cs]es?|copying|unlicense|notice|legal)(?:[-_. ][\w-]+)*?(?:\.(?:txt|md|markdown|rst|html?))?$/i;
const README = /^readme(?:\.(?:txt|md|markdown|rst))?$/i;
const ABOUT =
  /^(?:readme|changelog|changes|history|contributing|contributors|authors|code_of_conduct|security|citation|maintainers|install|todo|faq)(?:[-_.].*)?$/i;
const TOOLS =
  /^(?:makefile|cmakelists\.txt|dockerfile|setup\.(?:py|cfg)|pyproject\.toml|requirements[\w-]*\.txt|package(?:-lock)?\.json|pixi\.(?:toml|lock)|package\.xml|(?:plugin|nodelet)[\w-]*\.xml|colcon\.(?:meta|pkg)|.*\.rosinstall|.*\.repos)$/i;

const CODE =
  /\.(?:py|ipynb|sh|bash|bat|cmd|ps1|[cm]?[jt]s|c|cc|cpp|h|hpp|rs|go|java|rb|lua|bzl|bazel|cmake|mk|make|launch|rviz|repos|rosinstall|ya?ml|toml|ini|cfg|config|conf|lock|md|rst|adoc|html?|css)$/i;
const CODE_FOLDER = /^(?:tests?|scripts?|tools?|ci|cmake|bazel|docker|launch|hooks)$/i;
const CODE_FILE = /^(?:BUILD|WORKSPACE|Makefile|Dockerfile|__init__\.py|py\.typed)$/;

/** Whether a folder next to assets, with nothing in it that viewers open, only has programs, settings or documents. */
export function isCodeFolder(folder: string, files: readonly string[]): boolean {
  return CODE_FOLDER.test(baseName(folder.slice(0, -1))) || files.every(isCode);
}

function isCode(path: string): boolean {
  return CODE.test(path) || CODE_FILE.test(baseName(path)) || isAboutTheCollection(path);
}

export function isLicenseFile(path: string): boolean {
  return LICENSE.test(baseName(path));
}

export function isReadme(path: string): boolean {
  return README.test(baseName(path));
}

/** Whether a file next to assets is about the whole collection and not part of it. */
export function isAboutTheCollection(path: string): boolean {
  const name = baseName(path);
  return LICENSE.test(name) || ABOUT.test(name) || TOOLS.test(name) || CODE.test(name);
}

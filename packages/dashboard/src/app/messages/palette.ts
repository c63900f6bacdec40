export const paletteMessages = {
  open: 'Go to…',
  title: 'Go to',
  placeholder: 'Library, asset, project or page',
  results: 'Results',
  searching: 'Searching…',
  none: 'No results',
  kinds: {
    page: 'page',
    action: 'action',
    namespace: 'namespace',
    library: 'library',
    project: 'project',
    asset: 'asset',
  },
  sectionOf: (title: string, namespace: string) => `${title} of ${namespace}`,
} as const;

export const keysMessages = {
  title: 'Keyboard shortcuts',
  list: [
    ['Ctrl K', 'go to a library, an asset, a project or a page (⌘ K on a Mac)'],
    ['/', 'search this page'],
    ['?', 'these keys (Ctrl ? works too)'],
    ['Tab', 'to the next control; the first one skips to the content'],
    ['← ↑ ↓ →', 'from the search to the hits, among hits, in a tree, and to turn a model'],
    ['Enter', 'open or choose'],
    ['+ − 0', 'zoom a model, and fit it'],
    ['Esc', 'close what is open'],
  ],
  singleKeys: 'Shortcuts without Ctrl: / and ?',
} as const;

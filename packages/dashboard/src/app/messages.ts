import type { AuditAction, EngineVerdict, MissingFiles } from '@bindery/contract';
import { formatEngineVerdict } from '@bindery/contract/wire';
import { formatBytes } from '../format-quantities.ts';
import { formatCount } from './format.ts';

/** All user-visible text of the dashboard, referenced by key. */
export const messages = {
  product: 'Bindery',
  skip: 'Skip to the content',
  signIn: 'Sign in',
  signOut: 'Sign out',
  signInFirst: 'Sign in to see this',
  signedOut: 'You have been signed out.',
  signInToGoOn: 'Sign in to continue',
  signInAgain: 'This requires a sign-in within the last hour.',
  loading: 'Loading…',
  again: 'Try again',
  copy: 'Copy',
  copied: 'Copied',
  copyByHand: 'Select the text and copy it with your keyboard.',
  close: 'Close',
  cancel: 'Cancel',

  menu: {
    title: 'Menu',
    theme: 'Theme',
    themes: { system: 'System', light: 'Light', dark: 'Dark' },
  },

  palette: {
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
    projectsOf: (namespace: string) => `Projects of ${namespace}`,
    notesOf: (namespace: string) => `Notes of ${namespace}`,
  },

  keys: {
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
  },

  confirm: {
    type: (text: string) => `Type ${text} to confirm`,
  },

  failure: {
    title: 'Something went wrong',
    network: 'The service cannot be reached. Check your connection; this page continues once it is back.',
    unreachable: 'The service cannot be reached. Check your connection, then try again.',
    missing: 'Not found',
    missingDetail:
      'This does not exist, or you have no access. If somebody shared it with you, open the complete link, or sign in.',
    goTo: (place: string) => `Go to ${place}`,
    searchFor: (name: string) => `Search for ${name}`,
    forbidden: 'No access',
    request: (id: string) => `Request ${id}`,
  },

  home: {
    title: '3D and robotics assets',
    amounts: (assets: number | undefined, libraries: number, updated: string | undefined) =>
      [
        assets !== undefined && counted(assets, 'asset', 'assets'),
        counted(libraries, 'library', 'libraries'),
        updated && `updated ${updated}`,
      ]
        .filter(Boolean)
        .join(' · '),
    empty: 'There are no libraries yet',
    searchAll: 'Search all libraries',
    which: 'Libraries shown',
    sets: { all: 'All', mine: 'Mine', favourites: 'Favourites' },
    orders: { updated: 'last update', name: 'name', downloads: 'downloads', used: 'usage' },
    noneMine: 'You have no libraries yet',
    noneMineDetail: 'Libraries of your namespaces appear here.',
    noneFavourite: 'You have no favourites yet',
    noneFavouriteDetail: 'Mark a library as a favourite on its page. Nobody else sees your favourites.',
    named: 'Libraries and namespaces',
    namespace: 'namespace',
  },

  uses: {
    of: (downloads: number, usedBy: number) =>
      [
        downloads > 0 && counted(downloads, 'download', 'downloads'),
        usedBy > 0 && `used by ${counted(usedBy, 'project', 'projects')}`,
      ]
        .filter((text) => text !== false)
        .join(' · '),
    downloads: 'Downloads',
    usedBy: 'Used by',
    projects: (count: number) => counted(count, 'project', 'projects'),
    favourite: 'Favourite',
  },

  namespace: {
    libraries: (count: number) => counted(count, 'library', 'libraries'),
    more: 'More of this namespace',
    empty: 'No libraries here',
    emptyDetail: 'This namespace has no libraries that you can see.',
    emptyOwn: 'No libraries yet',
  },

  pager: {
    label: 'Pages',
    previous: 'Previous',
    next: 'Next',
    at: (page: number, all: number) => `Page ${formatCount(page)} of ${formatCount(all)}`,
  },

  visibility: { label: 'Visibility', private: 'Private', public: 'Public' },

  projects: {
    title: 'Projects',
    count: (count: number) => counted(count, 'project', 'projects'),
    search: 'Search projects',
    none: 'No projects here',
    noneDetail: 'Projects collect Notes. Bindrs are tags in a tree that group them.',
    noneFound: 'No project matches',
    newTitle: 'New project',
    name: 'Name',
    description: 'Description',
    make: 'Create project',
    roleIs: (role: string) => `Your role: ${role}`,
    edit: 'Edit project',
    save: 'Save',
    remove: 'Delete project',
    removeTitle: (name: string) => `Delete ${name}?`,
    removeDetail: 'Its Bindrs go with it. Its Notes stay, in their other projects or in none.',
    grants: {
      title: 'Members',
      detail:
        'Roles in this project only. Members of the namespace can read it without one, and its owners are its admins.',
      none: 'No roles have been granted.',
      userName: 'User name',
      role: 'Role',
      roleOf: (userName: string) => `Role of ${userName}`,
      roles: { reader: 'reader', writer: 'writer', admin: 'admin' },
      add: 'Add',
      noUser: 'There is no account with this name.',
      remove: 'Revoke',
      removeOf: (userName: string) => `Revoke the role of ${userName}`,
      removeTitle: (userName: string) => `Revoke ${userName}’s role?`,
      removeDetail: 'Whatever else they can see and do stays the same.',
    },
  },

  notes: {
    title: 'Notes',
    count: (count: number) => counted(count, 'Note', 'Notes'),
    search: 'Search Notes',
    none: 'No Notes here',
    noneDetail: 'A Note is filed in projects, where Bindrs group it. Create one here, or in a project.',
    noneFound: 'No Note matches',
    newTitle: 'New Note',
    name: 'Name',
    make: 'Create Note',
    edit: 'Edit Note',
    save: 'Save',
    remove: 'Delete Note',
    removeTitle: (name: string) => `Delete ${name}?`,
    removeDetail: 'It is removed from all of its projects.',
    places: 'Projects',
    noPlaces: 'Not in any project that you can see.',
    tags: 'Bindrs',
    tagsOf: (project: string) => `Bindrs in ${project}`,
    unfile: 'Remove',
    unfileOf: (project: string) => `Remove from ${project}`,
    unfileTitle: (project: string) => `Remove it from ${project}?`,
    unfileDetail: 'Its Bindrs there are removed.',
    file: 'Add to a project',
    searchProjects: 'Search projects',
    noProjects: 'There is no other project that you can add it to.',
    moreProjects: 'More projects',
    updated: (date: string) => `Updated ${date}`,
  },

  bindrs: {
    title: 'Bindrs',
    detail: 'Tags in a tree that group the Notes of this project.',
    search: 'Search Bindrs',
    none: 'There are no Bindrs yet.',
    noneFound: 'No Bindr matches.',
    more: 'More Bindrs',
    newAtTop: 'New Bindr',
    newBelow: (name: string) => `New Bindr below ${name}`,
    make: 'Create',
    changeOf: (name: string) => `Edit ${name}`,
    nameOf: (name: string) => `Name of ${name}`,
    rename: 'Rename',
    move: 'Move…',
    moveTitle: (name: string) => `Move ${name} below`,
    moveToTop: 'Move to the top',
    remove: 'Delete',
    removeTitle: (name: string) => `Delete ${name}?`,
    removeDetail: 'What it groups stays.',
    removeAllDetail: 'The Bindrs below it are deleted too. What they group stays.',
  },

  library: {
    searchLabel: (title: string) => `Search ${title}`,
    parts: 'Parts of this library',
    tabs: {
      assets: 'Assets',
      readme: 'README',
      releases: 'Releases',
      history: 'History',
      settings: 'Settings',
    },
    noReadme: 'This library has no README. Push a README.md at the root of its folder to add one.',
    placeholder: (assets: number | undefined) =>
      assets === undefined ? 'Search' : `Search ${counted(assets, 'asset', 'assets')}`,
    assets: (count: number) => counted(count, 'asset', 'assets'),
    files: (count: number, bytes: number) => `${counted(count, 'file', 'files')}, ${formatBytes(bytes)}`,
    revision: (revision: number) => `Revision ${formatCount(revision)}`,
    private: 'Private',
    public: 'Public',
    about: 'About this library',
    pull: 'Pull the whole library',
    credits: 'Credits',
    licences: 'Licences',
    homepage: 'Homepage',
    upstream: 'Upstream',
    tags: 'Tags',
    provider: 'Provider',
    vectors: 'Search',
    vectorsOf: 'by keyword and meaning',
    noVectors: 'by keyword',
  },

  releases: {
    one: 'Release',
    detail: (revision: number) =>
      `A release is a permanent name for the current revision (${formatCount(revision)}).`,
    name: 'Name of the release',
    nameRule:
      'A name consists of letters from a to z, digits, dots, dashes and underscores, begins with a letter or a digit, and is not “latest”.',
    make: 'Create a release',
    made: (name: string, revision: number) => `Revision ${formatCount(revision)} is now ${name}.`,
    movedOn:
      'Somebody has published another revision in the meantime. It is shown now: review it, then create the release.',
    terminal: 'From a terminal',
    delete: (name: string) => `Delete ${name}`,
    deleteTitle: (name: string) => `Delete the release ${name}?`,
    deleteDetail:
      'It can no longer be pulled or viewed. Files that neither the newest revision nor another release has are deleted after a while.',
    freedIsAsked: 'Checking how much that frees…',
    freedUnknown: 'The service does not know how much that frees.',
    freed: (objects: number, bytes: number) =>
      objects === 0
        ? 'That frees nothing: all of it is still in use.'
        : `That frees ${formatBytes(bytes)} (${counted(objects, 'object', 'objects')}).`,
    none: 'There are no releases yet. A release keeps one revision under a permanent name.',
    toNewest: 'Go to the newest revision',
    since: (name: string) => `Changes since ${name}`,
    shown: (name: string) => `This is release ${name}.`,
    chosen: 'shown now',
    madeBy: (date: string, userName: string) => `${date} by ${userName}`,
    notes: 'Notes',
    notesOf: (name: string) => `Notes on ${name}`,
    older: 'Older releases',
    empty: 'There are no assets in this release',
  },

  history: {
    kept: (days: number) =>
      days === 0
        ? 'A replaced revision can be compared until its files are reclaimed, by those who manage the library. Releases stay.'
        : `Those who manage the library can go back to a replaced revision for ${formatCount(days)} days. Releases stay.`,
    cost: (revisions: number, bytes: number) =>
      `${counted(revisions, 'replaced revision is', 'replaced revisions are')} kept: ${formatBytes(bytes)} are stored for that alone, and do not count against a quota.`,
    title: 'History',
    restore: 'Restore',
    restoreRevision: (revision: number) => `Restore revision ${formatCount(revision)}`,
    restoreTitle: (revision: number) => `Restore revision ${formatCount(revision)}?`,
    restoreDetail: 'Its content becomes the next revision. What is current now stays in the history.',
    pull: (revision: number) => `Command that pulls revision ${formatCount(revision)}`,
    changed: ({ assetsAdded, assetsChanged, assetsRemoved }: ChangeCounts) =>
      changes([assetsAdded, assetsChanged, assetsRemoved], 'asset', 'assets') ?? 'No asset changed',
    compare: 'Compare versions',
  },

  compare: {
    title: 'Changes',
    from: 'From',
    to: 'To',
    current: 'Newest revision',
    release: (name: string, revision: number) => `${name} (revision ${formatCount(revision)})`,
    same: 'No asset differs.',
    summary: (assets: NamesByChange, files: NamesByChange) =>
      [changedNames(assets, 'asset', 'assets'), changedNames(files, 'file', 'files')]
        .filter((counts) => counts !== null)
        .join(' · '),
    library: 'The library',
    addedAssets: 'Added assets',
    removedAssets: 'Removed assets',
    changedAssets: 'Changed assets',
    more: (count: number) => `Show more (${formatCount(count)} left)`,
    fact: 'Field',
    before: 'Before',
    after: 'After',
    none: '–',
    files: 'Files',
    pictureBefore: (name: string) => `${name} before`,
    pictureAfter: (name: string) => `${name} after`,
    pictureDifference: (name: string) => `What differs in the picture of ${name}`,
    differs: (share: number) => `${share < 0.01 ? 'Under 1' : Math.round(share * 100)} % differs`,
    notCompared: 'Not compared',
    lines: (before: number, after: number) => `Line ${formatCount(before)} → ${formatCount(after)}`,
    notText: 'These are no texts, or they have too little in common to be shown line by line.',
    tooLarge: 'This library has too many files to compare here. Compare it from a terminal.',
    terminal: 'The same from a terminal',
  },

  search: {
    filters: 'Filters',
    clear: 'Clear all filters',
    kind: 'Kind',
    category: 'Category',
    license: 'Licence',
    tag: 'Tag',
    library: 'Library',
    has: 'With',
    bytes: 'Download',
    extent: 'Longest side',
    height: 'Height',
    mass: 'Mass',
    joints: 'Joints',
    triangles: 'Triangles',
    format: 'Format',
    author: 'Author',
    features: { texture: 'textures', animation: 'animations', certified: 'a certificate of simulation' },
    licenseClasses: {
      permissive: 'any permissive licence',
      attribution: 'any attribution licence',
      copyleft: 'any copyleft licence',
      'non-commercial': 'any non-commercial licence',
      'public-domain': 'public domain',
      unstated: 'no licence stated',
    },
    filter: (name: string, values: readonly string[]) =>
      `${name}: ${new Intl.ListFormat('en', { type: 'disjunction' }).format(values)}`,
    understood: 'Read as filters',
    asWords: 'Searched as words',
    searchAsWords: (text: string) => `Search for the words “${text}” instead`,
    readAsFilter: (text: string) => `Read “${text}” as a filter again`,
    emptied: (filters: readonly string[], hits: number) =>
      `Without ${new Intl.ListFormat('en').format(filters.map((filter) => `“${filter}”`))} there ${hits === 1 ? 'is 1 result' : `are ${formatCount(hits)} results`}.`,
    existing: (values: readonly string[]) => `Here there is ${new Intl.ListFormat('en').format(values)}.`,
    unmeasured: (count: number) =>
      `${counted(count, 'of them was', 'of them were')} never measured; publishing again does that.`,
    without: (filter: string) => `Search without “${filter}”`,
    only: (name: string, value: string) => `${name}: only ${value}`,
    sort: 'Sort by',
    sorts: { none: 'default', relevance: 'relevance', newest: 'newest', title: 'title', size: 'size' },
    didYouMean: 'Did you mean',
    suggestions: 'Suggestions',
    tagCount: (count: number) => `tag, ${counted(count, 'asset', 'assets')}`,
    more: (count: number) => `${formatCount(count)} more`,
    fewer: 'Fewer',
    total: (count: number) => counted(count, 'asset', 'assets'),
    hits: (count: number) => counted(count, 'result', 'results'),
    none: 'No results',
    noneDetail: 'Try fewer words or another spelling.',
    noneFiltered: 'Try fewer words or another spelling, or remove a filter.',
    showMore: 'Show more',
    noneQuoted: 'Nothing has the quoted words next to each other, in this order.',
    unquote: 'Search without the quotes',
    unfilter: 'Search without the filters',
    related: (count: number) => `${formatCount(count)} related by meaning`,
    partial: ({ searched, libraries }: { searched: number; libraries: number }) =>
      `Searched ${formatCount(searched)} of ${formatCount(libraries)} libraries: the service is still preparing the others, or has no memory for them.`,
    oneLetter: 'Keep typing (2 letters at least).',
    emptyLibrary: 'This library is empty',
    loadingMore: 'Loading more…',
    reason: {
      'no-query': '',
      'encoder-unavailable': 'The service has no model ready for search by meaning.',
      'no-sidecar': 'These assets have no vectors; push them with --embed to search by meaning.',
      'model-mismatch': 'The vectors were computed with a different model than the service uses.',
      'unknown-words':
        'The model of the service does not know these words, so only the words themselves were searched.',
      on: '',
    },
    why: 'Why this result?',
  },

  manage: {
    visibility: 'Visibility',
    isPublic: 'Everybody who can reach this service can see it.',
    isPrivate: 'Only members of its namespace and people with its share link can see it.',
    makePublic: 'Make public',
    makePrivate: 'Make private',
    share: 'Share link',
    shareDetail: 'Anyone with this link can see the library, without an account.',
    noShare: 'A share link gives people without an account access to a private library.',
    makeShare: 'Create share link',
    rotate: 'Reset link',
    rotateTitle: 'Reset the share link?',
    unshare: 'Delete link',
    unshareTitle: 'Delete the share link?',
    unshareDetail: 'It stops working at once for everybody who has it, and cannot be brought back.',
    trash: 'Move to the Trash',
    trashTitle: (title: string) => `Move ${title} to the Trash?`,
    trashDetail: 'Nobody can see it there. It can be restored until it is purged.',
  },

  watch: {
    title: 'Watched source',
    detail: (hosts: readonly string[]) =>
      `The service imports it again and again, as you. Hosts that are allowed: ${hosts.join(', ')}.`,
    source: 'Source',
    every: 'Import it',
    schedules: { hourly: 'every hour', daily: 'every day', weekly: 'every week' },
    start: 'Watch',
    again: 'Import now',
    stop: 'Stop watching',
    stopTitle: 'Stop watching this source?',
    stopDetail: 'The library stays as it is.',
    states: {
      waiting: 'Waiting',
      running: 'Importing now',
      failing: 'Failed, will be tried again',
      stopped: 'Stopped',
    },
    next: (time: string) => `next import ${time}`,
    setBy: (user: string) => `as ${user}`,
    last: (time: string, added: number, changed: number) =>
      `Last import ${time}: ${counted(added, 'asset', 'assets')} added, ${formatCount(changed)} changed.`,
    nothing: (time: string) => `Last import ${time}: nothing had changed.`,
    gone: (count: number, ids: readonly string[]) =>
      `${counted(count, 'asset is', 'assets are')} no longer in the source and stay here: ${ids.slice(0, 10).join(', ')}${count > 10 ? ', …' : ''}`,
  },

  credits: {
    open: 'Credits and licences',
    saveMarkdown: 'Save as CREDITS.md',
    saveSpdx: 'Save as SPDX',
    text: (license: string) => `Text of ${license}`,
  },

  edit: {
    title: 'Edit details',
    name: 'Title',
    description: 'Description',
    license: 'Licence (an SPDX identifier, if there is one)',
    meantLicense: 'Did you mean',
    tags: 'Tags, separated by commas',
    save: 'Save',
    saved: 'Saved.',
    unchanged: 'Nothing has changed.',
    asWritten: (license: string) => `Save again to keep “${license}”.`,
    keepMine: 'Keep mine anyway',
    detail: 'This creates a new revision, and is written to bindery.yml for everyone who pulls the library.',
  },

  push: {
    thumbnails: {
      heading: 'Pictures',
      detail: 'Draws models that have no picture, and measures those that were never measured.',
      draw: 'Draw pictures',
      all: 'Every model has a picture.',
      title: 'Generate thumbnails for models that have none',
      looking: 'Looking for models without a thumbnail…',
      drawing: (at: number, total: number) => `Generating thumbnail ${at} of ${total}…`,
      drawn: (drawn: number, total: number) =>
        drawn === total
          ? `${counted(total, 'thumbnail', 'thumbnails')} generated.`
          : `${formatCount(drawn)} of ${counted(total, 'thumbnail', 'thumbnails')} generated. The list says why the others are not.`,
      problem: (reason: string) => `No thumbnail: ${reason}`,
      tooLarge: (bytes: number) => `it has more than ${formatBytes(bytes)}. The command line draws it`,
      tooMany: (count: number) =>
        `only ${count} are generated after a push. The command line draws the others`,
      noEntry: 'it has no file that a viewer opens',
      late: 'it took too long',
      stop: 'Stop',
    },
    title: 'Push a folder',
    newTitle: 'New library',
    newLibrary: 'New library',
    firstDetail: 'Publish a folder of robots, meshes or splats as a library.',
    firstDetailHere: 'Drop a folder anywhere on this page, or choose one.',
    firstTerminal: 'Or from a terminal',
    namespace: 'Namespace',
    name: 'Name of the library',
    nameRule:
      'Use 1–64 lowercase letters, digits, dots, underscores or hyphens, beginning with a letter or digit.',
    nameFirst: 'Give the library a name.',
    drop: 'Drop a folder here',
    chooseFolder: 'Choose a folder',
    chooseFiles: 'Choose files',
    dropDetail: 'You can review the result before anything is sent.',
    picked: (folder: string, files: number) =>
      `${folder === '' ? 'Several things' : folder}: ${counted(files, 'file', 'files')}.`,
    another: 'Choose another',
    reading: 'Reading its contents…',
    sending: 'Sending…',
    done: (of: { bytes: number; totalBytes: number; files: number; totalFiles: number }) =>
      `${formatBytes(of.bytes)} of ${formatBytes(of.totalBytes)}, ${formatCount(of.files)} of ${formatCount(of.totalFiles)} files`,
    plan: 'Review changes',
    publishedPlan: 'Published changes',
    assets: 'Assets',
    id: 'Id',
    files: (count: number, bytes: number) => `${counted(count, 'file', 'files')}, ${formatBytes(bytes)}`,
    from: (origin: string) => `(from ${origin})`,
    count: {
      added: (count: number) => `${formatCount(count)} added`,
      changed: (count: number) => `${formatCount(count)} changed`,
      removed: (count: number) => `${formatCount(count)} removed`,
      unchanged: (count: number) => `${formatCount(count)} unchanged`,
    },
    change: { added: 'Added', changed: 'Changed', removed: 'Removed', unchanged: 'Unchanged' },
    toSend: (files: number, bytes: number) =>
      files === 0 ? 'nothing to send' : `${counted(files, 'file', 'files')} to send, ${formatBytes(bytes)}`,
    showAll: (count: number) => `Show all ${formatCount(count)}`,
    warnings: (count: number) => counted(count, 'problem', 'problems'),
    leftOut: (count: number) => `${formatCount(count)} left out`,
    removals: 'This removes details',
    loses: (asset: string | null, keys: readonly string[]) =>
      `${asset ?? 'The library'} loses its ${keys.join(', ')}`,
    withheld: (path: string, rule: string) => `${path} is published and will be removed: it is ${rule}`,
    coverage: {
      title: 'What is this folder?',
      part: (folder: string) =>
        folder === ''
          ? 'Part of the library: its contents are added or replaced, and everything else stays.'
          : `Part of the library: it becomes the folder ${folder} there, and everything else stays.`,
      whole: (_folder: string) => 'The whole library: anything that it does not contain is removed.',
    },
    publish: 'Publish changes',
    exists: (address: string) =>
      `There is a library ${address} already. Publishing changes it; choose another name to create a new one.`,
    removeTitle: (count: number) =>
      count === 1 ? 'Remove 1 asset?' : `Remove ${formatCount(count)} assets?`,
    removeDetail:
      'The folder does not contain them, so the next revision of the library will not either. Earlier releases keep them.',
    removalsTitle: 'Remove what the plan lists?',
    removalsDetail:
      'The texts and licences that the folder does not state, and the files that it leaves out, will not be in the next revision.',
    publishNew: 'Publish library',
    nothingToDo: 'The library already contains exactly this.',
    published: (revision: number) => `Published as revision ${formatCount(revision)}.`,
    unchanged: 'The library already contains exactly this.',
    open: 'Open library',
    planAgain: 'Review again',
    goOn: 'Continue',
    interrupted:
      'The service cannot be reached. What has arrived is kept: continue when the connection is back, even after closing this page.',
    signedOut:
      'You are signed out. Nothing was published; the folder is kept, and what has arrived is not sent again. Sign in as the same person to continue here.',
    inTrash: 'The library was moved to the Trash. Nothing was published. Restore it, then continue.',
    openTrash: 'Open Trash',
    gone: 'The library was purged. Nothing was published. Review again to create it from scratch.',
    nowPublic: 'The library is now public: it was changed in the meantime. Nothing was published.',
    nowPrivate: 'The library is now private: it was public when you reviewed this. Nothing was published.',
    conflict: 'Somebody else published in the meantime. Nothing was changed; review what would happen now.',
    openQuota: 'Storage of the namespace',
    leave: 'The upload has not finished. Leave it? What has arrived is not sent again.',
    terminal: 'The same from a terminal, with thumbnails',
  },

  account: {
    title: 'Your account',
    namespaces: 'Namespaces',
    newNamespace: 'New namespace for a team',
    make: 'Create',
    connect: 'Connect a device',
    leave: 'Leave',
    leaveOf: (namespace: string) => `Leave ${namespace}`,
    leaveTitle: (namespace: string) => `Leave ${namespace}?`,
    leaveDetail: 'You will see only what is public there, until one of its owners adds you again.',
  },

  logins: {
    title: 'Where you are signed in',
    detail: 'Browsers, and terminals that ran “bindery login”. Those show a code, which you approve here.',
    kinds: { browser: 'browser', device: 'device' },
    thisOne: 'this browser',
    since: (date: string) => `since ${date}`,
    end: 'Sign out',
    endOf: (name: string, date: string) => `Sign out ${name}, signed in since ${date}`,
    endTitle: (name: string) => `Sign ${name} out?`,
    endBrowser: 'It asks for your password again.',
    endDevice: 'Its tokens are revoked, and so are personal tokens created with it.',
  },

  provider: {
    title: (name: string) => `Sign-in with ${name}`,
    connected: (name: string) => `You sign in with ${name}.`,
    only: 'It is the only way to sign in to your account.',
    notConnected: (name: string) => `Your account is not connected with ${name}.`,
    connect: 'Connect',
    disconnect: 'Disconnect',
    disconnectTitle: (name: string) => `Disconnect ${name}?`,
    disconnectDetail: (name: string) =>
      `From then on you sign in with your password only. Browsers and devices that signed in with ${name} are signed out, perhaps including this one; personal tokens created in a browser stay.`,
  },

  password: {
    title: 'Password',
    detail: 'A new password signs you out everywhere, including here, and revokes your personal tokens.',
    current: 'Current password',
    new: 'New password',
    change: 'Change password',
  },

  tokens: {
    title: 'Personal access tokens',
    detail: 'For machines and scripts: set one as BINDERY_TOKEN. Tokens stay valid when you sign out here.',
    none: 'You have no tokens.',
    name: 'Name',
    scope: 'Permissions',
    scopes: { read: 'Read', write: 'Read and write' },
    only: (namespace: string) => `only in ${namespace}`,
    expires: 'Expires after',
    days: (days: number) => `${days} days`,
    never: 'never expires',
    until: (date: string) => `until ${date}`,
    made: (date: string) => `created ${date}`,
    make: 'Create token',
    once: 'This is shown only once:',
    revoke: 'Revoke',
    revokeOf: (name: string) => `Revoke the token ${name}`,
    revokeTitle: (name: string) => `Revoke “${name}”?`,
    revokeDetail: 'Whatever uses it stops working at once.',
    tooLate: 'Tokens can only be created within an hour of signing in.',
  },

  admin: {
    title: 'Admin',
    pages: 'Admin pages',
    overview: 'Overview',
    users: {
      title: 'Users',
      search: 'Search users by name or e-mail address',
      count: (count: number) => counted(count, 'account', 'accounts'),
      none: 'No users found',
      operator: 'operator',
      disabled: (date: string) => `disabled since ${date}`,
      since: (date: string) => `since ${date}`,
      disable: 'Disable',
      disableTitle: (userName: string) => `Disable ${userName}?`,
      disableDetail:
        'Their tokens are rejected and they cannot sign in until you enable them again. What they own stays.',
      enable: 'Enable',
      promote: 'Make operator',
      promoteTitle: (userName: string) => `Make ${userName} an operator of the service?`,
      promoteDetail: 'Operators see these pages and can disable and delete accounts.',
      demote: 'Remove operator role',
      demoteTitle: (userName: string) => `Remove ${userName}’s operator role?`,
      demoteDetail: 'Their account otherwise stays as it is.',
      account: 'Account',
      signedIn: 'Signed in',
      logins: (browsers: number, devices: number, tokens: number) =>
        [
          counted(browsers, 'browser', 'browsers'),
          counted(devices, 'device', 'devices'),
          counted(tokens, 'personal token', 'personal tokens'),
        ].join(', '),
      signsInBy: (password: boolean, issuers: readonly string[]) => {
        const ways = [...(password ? ['password'] : []), ...issuers];
        return ways.length === 0 ? 'No sign-in method' : `Signs in by ${ways.join(', ')}`;
      },
      disconnect: 'Disconnect the provider',
      disconnectTitle: (userName: string) => `Disconnect ${userName} from the provider?`,
      disconnectDetail: (password: boolean) =>
        [
          'Browsers and devices that signed in through it are signed out.',
          password
            ? 'The password stays valid.'
            : 'There is no password: until “bindery admin set-password” sets one, nobody can sign in to the account.',
        ].join(' '),
      namespaces: 'Namespaces',
      onDeletion: {
        left: 'stays with its other owners',
        deleted: 'is empty and would be deleted',
        handedOver: 'needs another owner',
      },
      noNamespaces: 'They belong to no namespace.',
      delete: 'Delete account',
      deleteTitle: (userName: string) => `Delete the account ${userName}?`,
      deleteDetail: (deleted: number, handedOver: number, heir: string) =>
        [
          'Their logins and tokens are revoked, and the account cannot be restored.',
          deleted > 0 && `Empty namespaces that are deleted with it: ${formatCount(deleted)}.`,
          handedOver > 0 &&
            `Namespaces that go to ${heir === '' ? 'nobody yet' : heir}: ${formatCount(handedOver)}.`,
          'No library is deleted.',
        ]
          .filter((sentence) => sentence !== false)
          .join(' '),
      heir: 'New owner of its namespaces (user name)',
    },
    invitations: {
      title: 'Add people',
      detail:
        'An invitation is a link with which one person creates an account within seven days, with a password of their own.',
      email: 'E-mail address (optional)',
      invite: 'Create invitation',
      once: 'Send this link to the person. It is shown only once:',
      link: 'Invitation link',
      open: 'Open invitations',
      anybody: 'Whoever has the link',
      madeBy: (userName: string | null, date: string) =>
        `by ${userName ?? 'a command on the server'}, valid until ${date}`,
      revoke: 'Revoke',
      revokeOf: (whom: string) => `Revoke the invitation: ${whom}`,
      revokeTitle: (whom: string) => `Revoke the invitation (${whom})?`,
      revokeDetail: 'Its link stops working at once.',
      createTitle: 'Create an account with a password',
      createDetail: 'You choose the first password and tell it to the person, who can change it.',
      fields: { userName: 'User name', email: 'E-mail address', password: 'Password' },
      create: 'Create account',
      created: (userName: string) => `The account ${userName} is created.`,
    },
    namespaces: {
      title: 'Namespaces',
      search: 'Search namespaces',
      none: 'No namespaces found',
      count: (count: number) => counted(count, 'namespace', 'namespaces'),
      kinds: { personal: 'personal', team: 'team' },
      holds: (libraries: number, members: number) =>
        `${counted(libraries, 'library', 'libraries')}, ${counted(members, 'member', 'members')}`,
      largest: 'Largest libraries',
      quota: 'Quota',
      quotaDetail:
        'Current revisions, the Trash and releases count. Leave a field empty for no limit. Nothing is deleted if the namespace already holds more.',
      quotaFields: { libraries: 'Libraries', files: 'Files', gibibytes: 'GiB' },
      setQuota: 'Set quota',
      noLibraries: 'It has no libraries.',
      inTrash: 'in the Trash',
      members: 'Members',
      handOver: 'Make an owner',
      handOverDetail: 'Present members stay. They see the new owner in their list.',
      userName: 'User name',
      handedOver: (userName: string) => `${userName} is now an owner.`,
    },
    webhooks: {
      search: 'Search webhooks by namespace',
      state: 'State',
      anyState: 'any',
      none: 'There are no such webhooks',
      of: (namespace: string, host: string) => `${namespace} to ${host}`,
      sendsTo: (host: string) => `Sends to ${host}`,
      tell: 'Send service events',
      untell: 'Stop service events',
      counts: (waiting: number, failed: number) =>
        `${formatCount(waiting)} pending, ${formatCount(failed)} failed`,
    },
    health: {
      title: 'Health',
      ready: 'The service is ready',
      failing: 'The service is not ready',
      facts: 'Facts',
      version: 'Version',
      node: 'Node',
      database: 'Database',
      started: 'Running since',
      memory: 'Memory',
      transferred: 'Received and sent',
      amounts: (bytesIn: number, bytesOut: number) => `${formatBytes(bytesIn)} and ${formatBytes(bytesOut)}`,
      requests: 'Requests in the last hour',
      summary: (requests: number, failures: number, milliseconds: number) =>
        `${formatCount(requests)} requests, ${formatCount(failures)} failed, ${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms on average`,
      ofProcess: 'This server process only.',
    },
    storage: {
      title: 'Storage',
      picture: 'Disk usage',
      libraries: 'Libraries',
      trash: 'In the Trash',
      unregistered: 'Pending uploads (max.)',
      others: 'Other files',
      reserve: 'Kept free for the database',
      free: 'Free for uploads',
      noDisk: 'The files are not on a disk of this service.',
      pending: (count: number) => `Objects waiting to be reclaimed: ${formatCount(count)}.`,
      damaged: (count: number) => `Stored objects found damaged: ${formatCount(count)}.`,
      sound: 'No stored object is known to be damaged.',
      amount: (libraries: number, files: number, bytes: number) =>
        [
          counted(libraries, 'library', 'libraries'),
          counted(files, 'file', 'files'),
          formatBytes(bytes),
        ].join(', '),
    },
    models: {
      title: 'Models',
      active: (model: string) => `Queries are encoded with ${model}.`,
      none: 'No model is in use: search is by keyword only.',
      configured: (model: string) => `${model} is configured but not installed.`,
      withVectors: 'Vectors of libraries',
      noVectors: 'without vectors',
      amount: (libraries: number, assets: number) =>
        `${counted(libraries, 'library', 'libraries')}, ${counted(assets, 'asset', 'assets')}`,
    },
  },

  quota: {
    title: 'Quota',
    scarce: 'There is little space left. Purge libraries, delete releases, or ask an operator for more.',
    usedOf: (used: string | null, limit: string) =>
      used === null ? `At most ${limit}` : `${used} of at most ${limit}`,
    counts: {
      libraries: (count: number) => counted(count, 'library', 'libraries'),
      files: (count: number) => counted(count, 'file', 'files'),
    },
  },
  members: {
    title: 'Members',
    userName: 'User name',
    role: 'Role',
    roleOf: (userName: string) => `Role of ${userName}`,
    roles: { reader: 'reader', member: 'member', owner: 'owner' },
    add: 'Add',
    remove: 'Remove',
    removeOf: (userName: string) => `Remove ${userName}`,
    removeTitle: (userName: string) => `Remove ${userName}?`,
    removeDetail: 'From now on they see only what is public here.',
    onlyOwners: (owners: readonly string[]) =>
      `Only owners can change members: ${new Intl.ListFormat('en').format(owners)}.`,
  },

  audit: {
    title: 'Audit log',
    did: describeAction,
    detailOf: (name: string, value: unknown) =>
      value === true ? inWords(name) : `${inWords(name)} ${value}`,
    detail: 'Who changed what in this namespace, and from where.',
    filters: 'Filters',
    user: 'User',
    namespace: 'Namespace',
    action: 'Action',
    anyAction: 'Any action',
    from: 'From',
    to: 'To',
    show: 'Apply',
    all: 'Clear filters',
    none: 'No entries',
    noneDetail: 'The log has no entries.',
    noneFound: 'No entry matches all of these. Try fewer filters.',
    older: 'Older entries',
    nameRule: 'Use lowercase letters, digits or hyphens.',
    nobody: { machine: 'the service’s own machine', signedOut: 'nobody signed in' },
    via: {
      page: 'a page of the service',
      dashboard: 'the dashboard',
      login: 'bindery login',
      token: 'a personal token',
      watch: 'an import of what is watched',
      machine: 'a command or the service itself',
    },
  },

  webhooks: {
    title: 'Webhooks',
    detail:
      'Each sends the events of this namespace to another service, signed, and retries until they are accepted.',
    none: 'There are no webhooks.',
    all: 'all events',
    ofService: 'It also gets events of the service: accounts, namespaces, quotas reached, damage found.',
    states: { active: 'Active', failing: 'Failing, will be retried', paused: 'Paused' },
    url: 'URL',
    events: 'Events',
    everything: 'All events',
    some: 'Only these',
    add: 'Add webhook',
    once: 'The secret that signs the requests. It is shown only once:',
    secretOf: (url: string) => `Secret of ${url}`,
    ping: 'Ping',
    pause: 'Pause',
    resume: 'Resume',
    rotate: 'New secret',
    rotateTitle: 'Create a new secret?',
    rotateDetail: 'The previous one also signs for a day. Give the new one to the receiver in the meantime.',
    remove: 'Remove',
    removeTitle: (url: string) => `Remove the webhook to ${url}?`,
    removeDetail: 'Queued events are not sent, and its history is deleted.',
    of: (action: string, url: string) => `${action}: ${url}`,
    deliveries: 'Deliveries',
    noDeliveries: 'Nothing has been sent yet.',
    deliveryStates: { pending: 'Pending', delivered: 'Delivered', failed: 'Failed' },
    attempts: (count: number) => counted(count, 'attempt', 'attempts'),
    answered: (status: number) => `Status ${status}`,
    next: (time: string) => `next attempt ${time}`,
    payload: 'Payload',
    payloadOf: (event: string, time: string) => `Payload: ${event} of ${time}`,
    redeliver: 'Redeliver',
    redeliverOf: (event: string, time: string) => `Redeliver: ${event} of ${time}`,
    older: 'Older',
  },

  trash: {
    title: 'Trash',
    empty: 'The Trash is empty',
    restore: 'Restore',
    restoreOf: (address: string) => `Restore ${address}`,
    purge: 'Purge',
    purgeOf: (address: string) => `Purge ${address}`,
    purgeTitle: (address: string) => `Permanently delete ${address}?`,
    purgeDetail: 'Its files are deleted and cannot be restored.',
  },

  simulation: {
    heading: 'Simulation',
    passed: 'Passed',
    failed: 'Failed',
    made: (mujoco: string, madeBy: 'publisher' | 'service') =>
      `in MuJoCo ${mujoco}, simulated by ${madeBy === 'publisher' ? 'the publisher' : 'this service'}`,
    rest: 'At rest',
    control: 'Under random control',
    energy: (name: string, joules: number) =>
      `${name}: ${joules < 1e-6 ? 0 : `at most ${Number(joules.toPrecision(2))}`} J`,
    without: (what: string) => `Simulated without ${what}.`,
    engines: 'In other engines',
    engine: (run: EngineVerdict) => {
      const sentence = formatEngineVerdict(run);
      return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
    },
    watch: 'Watch the run',
    run: 'The robot at rest and under random control',
    certify: 'Run simulation test',
    running: 'Simulating…',
  },
  similar: {
    title: 'More like this',
    match: {
      identical: 'Same files',
      duplicate: 'Same model',
      shape: 'Similar shape',
      picture: 'Similar picture',
    },
    none: 'No similar assets.',
    byFile: 'By picture or model',
    like: (name: string) => `Like ${name}`,
    clear: 'Clear',
    reading: 'Reading it…',
    late: 'it took too long to read',
    nothingVisible: 'there is nothing to see in it',
    unknownFile: 'it is neither a picture nor a model that can be read here',
    failed: (reason: string) => `This cannot be searched for: ${reason}.`,
    notCompared: 'No similar assets yet. They appear once the library has been measured.',
  },
  asset: {
    open: 'Open',
    kind: 'Kind',
    category: 'Category',
    license: 'Licence',
    noLicense: 'No licence',
    attribution: 'Attribution',
    imported: 'Imported',
    claimed: 'SimReady, as its author says',
    playLive: 'Play in MuJoCo Live',
    upstream: 'Upstream',
    tags: 'Tags',
    entry: 'Main',
    entryPoint: 'Model',
    files: 'Files',
    readme: 'README',
    facts: 'Measures',
    bytes: 'Download',
    amount: (bytes: number, files: number) => `${formatBytes(bytes)} (${counted(files, 'file', 'files')})`,
    oddSize: 'Unusual size',
    oddSizeDetail: 'Is the unit right?',
    derived: 'Derived from its files',
    floating: (joints: string) => `${joints} (floating base)`,
    measures: {
      size: 'W × D × H',
      mass: 'Mass',
      joints: 'Joints',
      triangles: 'Triangles',
      splats: 'Splats',
      pixels: 'Pixels',
    },
    notMeasured: '–',
    missing: ({ total, names }: MissingFiles) => {
      const files = `${formatCount(total)} ${total === 1 ? 'file that it names is' : 'files that it names are'} missing`;
      const more = total > names.length ? ', …' : '';
      return `Incomplete: ${files}${names.length > 0 ? ` (${names.join(', ')}${more})` : ''}.`;
    },
    get: 'Get it',
    embed: 'Embed',
    embedDetail: 'Shows the viewer in another page. Paste this into its HTML:',
    noEmbed: 'This service does not let other sites show its assets.',
    ways: { commandLine: 'Command line', python: 'Python', project: 'Project', zip: 'Download' },
    signInFirst: 'Sign in first, because the library is private',
    signInPython: 'Sign in first: the Python package finds the login of the command line',
    terminal: 'Terminal',
    python: 'Python',
    project: 'Project',
    opens: (path: string) => `Opens with ${path}`,
    projectDetail: 'Run it in the folder of your project. The asset is pinned in assets.lock.',
    install: 'Not installed?',
    installDetail: 'Run this in a clone of Bindery:',
    address: 'Direct link',
    addressPrivate: 'Direct link (the password is an access token)',
    downloadAll: (bytes: number) => `Download all (${formatBytes(bytes)})`,
    downloadAs: 'Download as',
    converting: (format: string) => `Converting to ${format}…`,
    converted: (format: string, losses: string | null) =>
      losses === null ? `Saved as ${format}.` : `Saved as ${format}. Not carried over: ${losses}.`,
    notConverted: (format: string) => `The asset could not be converted to ${format}.`,
    download: (path: string) => `Download ${path}`,
    copyDigest: (shown: string, path: string) => `${shown}: copy the SHA-256 of ${path}`,
    closeFile: (path: string) => `Close ${path}`,
    viewer: (title: string) => `${title} in 3D`,
    linkCopied: 'The link to this view is copied.',
    linkInAddress: 'The link to this view is in the address bar.',
    loading: (bytes: number) => (bytes === 0 ? 'Loading…' : `Loading… ${formatBytes(bytes)}`),
    noViewer: (format: string | null) =>
      format === null
        ? 'No preview. The files are listed below.'
        : `${format} files cannot be previewed. Add an STL or glTF version to show it here.`,
    packing: (done: number, all: number) => `Fetching ${formatBytes(done)} of ${formatBytes(all)}`,
    damaged: (path: string) => `${path} did not match its hash in the library, and was discarded.`,
    notFetched: (path: string) => `${path} could not be fetched.`,
  },
} as const;

interface NamesByChange {
  added: readonly string[];
  changed: readonly string[];
  removed: readonly string[];
}

function changedNames({ added, changed, removed }: NamesByChange, one: string, many: string): string | null {
  return changes([added.length, changed.length, removed.length], one, many);
}

/** `2 assets changed, 1 removed`; null if all counts are 0. */
function changes(counts: readonly [number, number, number], one: string, many: string): string | null {
  const said = (['added', 'changed', 'removed'] as const)
    .map((change, at) => ({ change, count: counts[at] ?? 0 }))
    .filter(({ count }) => count > 0)
    .map(({ change, count }, at) => `${at === 0 ? counted(count, one, many) : formatCount(count)} ${change}`);
  return said.length === 0 ? null : said.join(', ');
}

interface ChangeCounts {
  assetsAdded: number;
  assetsChanged: number;
  assetsRemoved: number;
}

/** `note.file` as `Note filed`. */
function describeAction(action: AuditAction): string {
  const [subject = '', verb = ''] = action.split('.');
  const done = IRREGULAR[verb] ?? `${verb}${verb.endsWith('e') ? 'd' : 'ed'}`;
  const words = verb === '' ? subject : `${subject} ${done}`;
  return inWords(`${words.charAt(0).toUpperCase()}${words.slice(1)}`);
}

const IRREGULAR: Readonly<Record<string, string>> = {
  failed: 'refused',
  'hand-over': 'handed over',
  quota: 'quota set',
  register: 'published',
  set: 'set',
};

/** `newShareLink` as `new share link`. */
function inWords(name: string): string {
  return name.replaceAll('-', ' ').replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function counted(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

export type { Caller, CallOptions, CallRequest } from '../client/call.ts';
export { ApiError, NetworkError, UnexpectedResponseError } from '../client/errors.ts';
export { retryable } from '../client/retry.ts';
export { findSubject } from '../discovery/subject.ts';
export { formatLibraryAddress, readQuery } from '../library/library-address.ts';
export { partsOf, readProposedChanges } from '../library/read-changes.ts';
export { type DescribedSubject, findSimilarAssets } from '../library/similar.ts';
export type { Identity } from '../picker/picker.ts';
export { Picker, type PickerState } from '../picker/picker.ts';
export {
  type BindrChoice,
  type BindrQuery,
  type ClientFor,
  candidateProjects,
  createBindrPicker,
  createBindrTreePicker,
  createProjectPicker,
  type ProjectQuery,
} from '../picker/sources.ts';
export { describeRule } from '../tree/skipped-paths.ts';
export { type BrowserClientOptions, createBrowserClient } from './client.ts';

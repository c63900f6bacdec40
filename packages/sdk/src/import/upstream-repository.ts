/** The parts of an import by which one repository is read file by file, without what publishes it. */

export { ImportError } from '../failures.ts';
export { HUGGING_FACE } from './hugging-face.ts';
export { receive } from './receive.ts';
export { RefusedRequest, UpstreamRequests } from './requests.ts';
export type { UpstreamFile } from './upstream.ts';

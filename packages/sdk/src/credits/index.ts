export {
  type Credit,
  type CreditedLicense,
  type CreditedRevision,
  type Credits,
  creditedRevision,
  creditsOf,
} from './credits.ts';
export { creditsAsMarkdown } from './markdown.ts';
export { creditsAsSpdx, type SpdxDocument, type SpdxOptions } from './spdx-document.ts';

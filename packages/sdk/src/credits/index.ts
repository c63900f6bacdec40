export { type Credit, type CreditedLicense, type Credits, creditsOf } from './credits.ts';
export { creditsAsMarkdown } from './markdown.ts';
export { creditsAsSpdx, type SpdxOptions } from './spdx-document.ts';

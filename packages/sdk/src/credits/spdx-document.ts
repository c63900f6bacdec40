import { hash } from 'node:crypto';
import type { Credit, CreditedLicense, Credits } from './credits.ts';

export interface SpdxOptions {
  /** Version of the tool that writes the document. */
  version: string;
  /** When the document is created, ISO 8601. */
  created: string;
}

/** An SPDX 2.3 document in JSON (https://spdx.github.io/spdx-spec/v2.3/), typed as far as it is read here. */
export interface SpdxDocument {
  creationInfo: { created: string; creators: string[] };
  [key: string]: unknown;
}

const NO_ASSERTION = 'NOASSERTION';

/** Formats the credits of at least one library as a bill of materials, with one package per asset. */
export function creditsAsSpdx(
  libraries: readonly Credits[],
  { version, created }: SpdxOptions,
): SpdxDocument {
  const listed = libraries.flatMap((credits) => credits.assets.map((asset) => ({ credits, asset })));
  const references = licenseReferences(listed.map(({ asset }) => asset));
  const packages = listed.map(({ credits, asset }, at) => packageOf(asset, at, credits, references));
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: libraries.map(({ library, revision }) => `${library} revision ${revision}`).join(', '),
    documentNamespace: namespaceOf(libraries),
    creationInfo: { created: created.replace(/\.\d+Z$/, 'Z'), creators: [`Tool: bindery-${version}`] },
    packages,
    hasExtractedLicensingInfos: [...references].map(([text, licenseId]) => ({
      licenseId,
      extractedText: text,
      comment: 'As the publisher wrote it; not an expression of SPDX.',
    })),
    relationships: packages.map(({ SPDXID }) => ({
      spdxElementId: 'SPDXRef-DOCUMENT',
      relationshipType: 'DESCRIBES',
      relatedSpdxElement: SPDXID,
    })),
  };
}

function packageOf(asset: Credit, at: number, credits: Credits, references: ReadonlyMap<string, string>) {
  return {
    SPDXID: `SPDXRef-Asset-${at + 1}`,
    name: `${credits.library}/${asset.id}`,
    ...(asset.title === null ? {} : { summary: asset.title }),
    versionInfo: credits.release ?? `revision ${credits.revision}`,
    supplier: credits.provider === null ? NO_ASSERTION : `Organization: ${credits.provider}`,
    downloadLocation: isUrl(asset.source) ? asset.source : NO_ASSERTION,
    ...(asset.source === null || isUrl(asset.source) ? {} : { sourceInfo: asset.source }),
    filesAnalyzed: false,
    licenseConcluded: NO_ASSERTION,
    licenseDeclared: declared(asset.license, references),
    copyrightText: asset.attribution ?? NO_ASSERTION,
    comment: `Digest of its files: ${asset.digest}`,
  };
}

function declared(license: CreditedLicense, references: ReadonlyMap<string, string>): string {
  if (license.kind === 'unknown') return NO_ASSERTION;
  return license.kind === 'expression' ? license.expression : (references.get(license.text) ?? NO_ASSERTION);
}

/** Names each licence that is not an SPDX expression. */
function licenseReferences(assets: readonly Credit[]): Map<string, string> {
  const texts = assets.flatMap(({ license }) => (license.kind === 'text' ? [license.text] : []));
  return new Map([...new Set(texts)].map((text, at) => [text, `LicenseRef-${at + 1}`]));
}

/** Unique to the contents of the document: another selection of assets has another digest. */
function namespaceOf(libraries: readonly Credits[]): string {
  const [first, ...more] = libraries;
  const revisions = libraries.map(({ server, library, release, revision, assets }) => {
    const selection = assets.map(({ id, digest }) => `${id} ${digest}`).join('\n');
    return more.length === 0 ? selection : `${server} ${library} ${release} ${revision}\n${selection}`;
  });
  const digest = hash('sha256', revisions.join('\n\n'));
  const path = more.length === 0 ? `${first?.library}/${first?.revision}` : 'project';
  return new URL(`spdx/${path}/${digest}`, `${(first?.server ?? '').replace(/\/$/, '')}/`).href;
}

function isUrl(text: string | null): text is string {
  return text !== null && URL.canParse(text) && /^(https?|git|ssh):/.test(text);
}

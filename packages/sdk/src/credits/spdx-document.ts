import { hash } from 'node:crypto';
import type { Credit, CreditedLicense, Credits } from './credits.ts';

export interface SpdxOptions {
  /** Address of the server that the library is on. */
  server: string;
  /** Of the tool that writes the document. */
  version: string;
}

const NO_ASSERTION = 'NOASSERTION';

/**
 * Credits as a bill of materials: an SPDX 2.3 document in JSON (https://spdx.github.io/spdx-spec/v2.3/), a package for
 * each asset. Equal revisions give equal bytes, so the time is that of the revision.
 */
export function creditsAsSpdx(credits: Credits, { server, version }: SpdxOptions): object {
  const references = licenseReferences(credits.assets);
  const packages = credits.assets.map((asset, at) => packageOf(asset, at, credits, references));
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `${credits.library} revision ${credits.revision}`,
    documentNamespace: namespaceOf(credits, server),
    creationInfo: {
      created: credits.publishedAt.replace(/\.\d+Z$/, 'Z'),
      creators: [`Tool: bindery-${version}`],
    },
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
    versionInfo: `revision ${credits.revision}`,
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

/** A name for each licence that SPDX has none for. */
function licenseReferences(assets: readonly Credit[]): Map<string, string> {
  const texts = assets.flatMap(({ license }) => (license.kind === 'text' ? [license.text] : []));
  return new Map([...new Set(texts)].map((text, at) => [text, `LicenseRef-${at + 1}`]));
}

/** Unique to what the document says: another selection of assets has another digest. */
function namespaceOf({ library, revision, assets }: Credits, server: string): string {
  const selection = hash('sha256', assets.map(({ id, digest }) => `${id} ${digest}`).join('\n'));
  return new URL(`spdx/${library}/${revision}/${selection}`, `${server.replace(/\/$/, '')}/`).href;
}

function isUrl(text: string | null): text is string {
  return text !== null && URL.canParse(text) && /^(https?|git|ssh):/.test(text);
}

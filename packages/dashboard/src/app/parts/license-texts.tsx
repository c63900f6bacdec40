import { useQuery } from '@tanstack/react-query';
import { creditsMessages } from '../messages/credits.ts';
import { Fold } from './card.tsx';
import { InlineError } from './inline-error.tsx';
import styles from './license-texts.module.css';

/** The texts of the licences in an SPDX expression, each fetched when it is opened. */
export function LicenseTexts({ expression }: { expression: string }) {
  const named = new Set(expression.match(/[\w.-]+/g)?.map((name) => name.replace(/\+$/, '')));
  return [...named]
    .filter((name) => name in LICENSE_TEXTS)
    .map((name) => (
      <Fold key={name} summary={creditsMessages.text(name)} className={styles.text}>
        <LicenseText name={name} />
      </Fold>
    ));
}

function LicenseText({ name }: { name: string }) {
  const { data, error } = useQuery({
    queryKey: ['license-text', name],
    queryFn: () => LICENSE_TEXTS[name]?.() ?? '',
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <InlineError error={error} />;
  if (data === undefined) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <pre tabIndex={0} className="scrolled">
      {data}
    </pre>
  );
}

const files = import.meta.glob<string>(
  '../../../../../node_modules/spdx-license-list/licenses/{AGPL-3.0-only,AGPL-3.0-or-later,Apache-2.0,BSD-2-Clause,BSD-3-Clause,BSL-1.0,CC-BY-3.0,CC-BY-4.0,CC-BY-NC-4.0,CC-BY-NC-SA-4.0,CC-BY-SA-3.0,CC-BY-SA-4.0,CC0-1.0,EPL-2.0,GPL-2.0-only,GPL-2.0-or-later,GPL-3.0-only,GPL-3.0-or-later,ISC,LGPL-2.1-only,LGPL-2.1-or-later,LGPL-3.0-only,LGPL-3.0-or-later,MIT,MPL-2.0,OFL-1.1,Unlicense,Zlib}.json',
  { import: 'licenseText' },
);

/** Texts of the licences that assets commonly have, by SPDX identifier; each is loaded from its own file. */
export const LICENSE_TEXTS: Readonly<Record<string, () => Promise<string>>> = Object.fromEntries(
  Object.entries(files).map(([path, read]) => [path.slice(path.lastIndexOf('/') + 1, -'.json'.length), read]),
);

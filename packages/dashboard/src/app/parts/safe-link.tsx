/** A link that an author gave: only to the web, and without telling where the reader comes from. Else it is text. */
export function SafeLink({ href, children }: { href: string; children?: React.ReactNode }) {
  const label = children ?? href.replace(/^https?:\/\//, '');
  if (!/^https?:\/\//i.test(href) || !URL.canParse(href)) return <>{label}</>;
  return (
    <a href={href} rel="noreferrer noopener nofollow" target="_blank">
      {label}
    </a>
  );
}

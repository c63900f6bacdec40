/** A link supplied by an author: plain text unless it is a web URL. Sends no referrer. */
export function SafeLink({ href, children }: { href: string; children?: React.ReactNode }) {
  const label = children ?? href.replace(/^https?:\/\//, '');
  if (!/^https?:\/\//i.test(href) || !URL.canParse(href)) return <>{label}</>;
  return (
    <a href={href} rel="noreferrer noopener nofollow" target="_blank">
      {label}
    </a>
  );
}

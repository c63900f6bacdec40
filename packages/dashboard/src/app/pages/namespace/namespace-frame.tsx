import type { ReactNode } from 'react';
import { messages } from '../../messages.ts';
import { Crumbs } from '../../parts/crumbs.tsx';

interface HeadingProps {
  namespace: string;
  /** The list that the page is below. */
  section?: 'projects' | 'notes' | undefined;
  title: string;
  detail?: string;
  /** What follows the heading. */
  about?: ReactNode;
}

/** The heading of a page of a namespace, and its way back. */
export function NamespaceHeading({ namespace, section, title, detail, about }: HeadingProps) {
  return (
    <header>
      <title>{`${title} · ${namespace} · ${messages.product}`}</title>
      <Crumbs namespace={namespace} section={section} />
      <h1>{title}</h1>
      {detail !== undefined && <p className="soft">{detail}</p>}
      {about}
    </header>
  );
}

/** A page of a namespace below its heading. */
export function NamespaceFrame({ children, ...heading }: HeadingProps & { children: ReactNode }) {
  return (
    <div className="stack">
      <NamespaceHeading {...heading} />
      {children}
    </div>
  );
}
